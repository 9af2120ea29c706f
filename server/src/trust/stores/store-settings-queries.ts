import { NO_STORES, type StoreSettings } from '../../core/events/receipts/store-settings.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';

/** The settings of a game for stores; those of a game that has set none are the defaults. */
export async function findStores(db: Pool | Client, gameId: number): Promise<StoreSettings> {
  const { rows } = await db.query<{ settings: StoreSettings }>(
    'select settings from game_stores where game_id = $1',
    [gameId],
  );
  return rows[0]?.settings ?? NO_STORES;
}

/** Replaces the settings. Every node obeys them with its next batch, because the game's registry gets a new version. */
export function saveStores(pool: Pool, gameId: number, settings: StoreSettings, actor: Actor): Promise<void> {
  return transaction(pool, async (client) => {
    // The lock on the game's row lets one change at a time know what it replaces.
    await client.query('update games set registry_version = registry_version + 1 where id = $1', [gameId]);
    const before = await findStores(client, gameId);
    await client.query(
      `insert into game_stores (game_id, settings, updated_at) values ($1, $2, $3)
       on conflict (game_id) do update set settings = excluded.settings, updated_at = excluded.updated_at`,
      [gameId, JSON.stringify(settings), new Date(actor.nowMs)],
    );
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'stores.update',
      target: 'store settings',
      before: withoutTesters(before),
      after: withoutTesters(settings),
    });
  });
}

/** The audit log names no players. */
function withoutTesters({ testers, ...settings }: StoreSettings) {
  return { ...settings, testers: testers.length };
}
