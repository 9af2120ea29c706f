import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import {
  type GameSettingsRow,
  insertGame,
  insertTenant,
  lockGameSettings,
  type UnregisteredTypes,
  updateErasurePage,
  updateErasureWaitDays,
  updateGameName,
  updateRetentionDays,
  updateUnregisteredTypes,
} from '../../platform/admin-api/tenants.js';
import { type Pool, transaction } from '../../platform/db/pool.js';

type Named = Readonly<{ slug: string; name: string }>;

/** False if the id is taken. */
export function createTenant(pool: Pool, { slug, name }: Named, actor: Actor): Promise<boolean> {
  return transaction(pool, async (client) => {
    const tenantId = await insertTenant(client, slug, name);
    if (tenantId === undefined) return false;
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'tenant.create',
      target: `tenant ${slug}`,
      before: null,
      after: { name },
    });
    return true;
  });
}

/** False if the tenant does not exist or the id is taken. */
export function createGame(
  pool: Pool,
  { tenant, slug, name }: Named & { tenant: string },
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const gameId = await insertGame(client, tenant, slug, name);
    if (gameId === undefined) return false;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'game.create',
      target: `game ${slug}`,
      before: null,
      after: { name },
    });
    return true;
  });
}

/** What is left out stays as it is. `retentionDays` null: events are kept for ever. */
export type GameSettings = Readonly<{
  name?: string;
  unregisteredTypes?: UnregisteredTypes;
  retentionDays?: number | null;
  erasureWaitDays?: number;
  erasurePage?: boolean;
}>;

/** The settings after the change. Settings that stay the same leave no audit entry. */
export async function updateGameSettings(
  pool: Pool,
  gameId: number,
  settings: GameSettings,
  actor: Actor,
): Promise<GameSettingsRow> {
  return transaction(pool, async (client) => {
    const { slug, ...before } = await lockGameSettings(client, gameId);
    const after = { ...before, ...settings };
    const isNameNew = after.name !== before.name;
    const isRetentionNew = after.retentionDays !== before.retentionDays;
    const areTypesNew = after.unregisteredTypes !== before.unregisteredTypes;
    const isWaitNew = after.erasureWaitDays !== before.erasureWaitDays;
    const isPageNew = after.erasurePage !== before.erasurePage;
    if (isNameNew) await updateGameName(client, gameId, after.name);
    if (isRetentionNew) await updateRetentionDays(client, gameId, after.retentionDays);
    if (areTypesNew) await updateUnregisteredTypes(client, gameId, after.unregisteredTypes);
    if (isWaitNew) await updateErasureWaitDays(client, gameId, after.erasureWaitDays);
    if (isPageNew) await updateErasurePage(client, gameId, after.erasurePage);
    const isNew = isNameNew || isRetentionNew || areTypesNew || isWaitNew || isPageNew;
    if (!isNew) return { slug, ...after };
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'game.update',
      target: `game ${slug}`,
      before,
      after,
    });
    return { slug, ...after };
  });
}
