import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import type { FailedGroup } from './failed-event-queries.js';
import { measureFailedGroup } from './replay-queries.js';

/** Entries of the inbox that nobody will correct. What was deleted is gone; the same event may be refused, and kept, again. */

/** A short lock on the entries, and one entry in the audit log. */
const CHUNK = 1_000;
/** Of one request: some seconds. */
const MAX_CHUNKS = 100;

/** False if the game has no such entry. */
export function deleteFailedEvent(pool: Pool, gameId: number, id: string, actor: Actor): Promise<boolean> {
  return transaction(pool, async (client) => {
    const { deleted } = await deleteEntry(client, gameId, id);
    if (deleted > 0) await audit(client, gameId, `failed event ${id}`, deleted, actor);
    return deleted > 0;
  });
}

/** The entries of a group that are open now, as far as a request gets; those that are being replayed are left to the replay. */
export async function deleteFailedGroup(
  pool: Pool,
  group: FailedGroup,
  actor: Actor,
): Promise<{ deleted: number; isMore: boolean }> {
  const { lastId } = await measureFailedGroup(pool, group);
  let deleted = 0;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks++) {
    const chunk = await transaction(pool, async (client) => {
      const found = await deleteEntries(client, group, lastId, CHUNK);
      const target = `failed events ${found.firstId} to ${found.lastId}, ${group.code}`;
      if (found.deleted > 0) await audit(client, group.gameId, target, found.deleted, actor);
      return found.deleted;
    });
    deleted += chunk;
    if (chunk < CHUNK) return { deleted, isMore: false };
  }
  return { deleted, isMore: true };
}

type Deleted = { deleted: number; firstId: string | null; lastId: string | null };
const NONE: Deleted = { deleted: 0, firstId: null, lastId: null };

/** Only open ones count for the limits of the inbox. */
async function deleteEntry(client: Client, gameId: number, id: string): Promise<Deleted> {
  const { rows } = await client.query<Deleted>(
    `with gone as (
       delete from failed_events where id = $2 and game_id = $1
       returning id, game_id, replayed_at, octet_length(raw) as bytes
     ), counted as (
       update failed_event_totals g set entries = g.entries - 1, bytes = g.bytes - o.bytes
       from gone o where g.game_id = o.game_id and o.replayed_at is null
     )
     select count(*)::int as deleted, min(id) as "firstId", max(id) as "lastId" from gone`,
    [gameId, id],
  );
  return rows[0] ?? NONE;
}

async function deleteEntries(
  client: Client,
  { gameId, code, eventType }: FailedGroup,
  lastId: string,
  limit: number,
): Promise<Deleted> {
  const { rows } = await client.query<Deleted>(
    `with gone as (
       delete from failed_events where id = any (array(
         select id from failed_events
         where game_id = $1 and code = $2 and replayed_at is null
           and ($3 or event_type is not distinct from $4) and id <= $5
         order by id
         limit $6
         for update skip locked
       ))
       returning id, octet_length(raw) as bytes
     ), counted as (
       update failed_event_totals g set entries = g.entries - o.entries, bytes = g.bytes - o.bytes
       from (select count(*) as entries, coalesce(sum(bytes), 0) as bytes from gone) o
       where g.game_id = $1
     )
     select count(*)::int as deleted, min(id) as "firstId", max(id) as "lastId" from gone`,
    [gameId, code, eventType === undefined, eventType ?? null, lastId, limit],
  );
  return rows[0] ?? NONE;
}

/** Not the events themselves: what a player sent is gone. */
async function audit(
  client: Client,
  gameId: number,
  target: string,
  deleted: number,
  actor: Actor,
): Promise<void> {
  await insertAuditEntry(client, actor, {
    tenantId: null,
    gameId,
    action: 'failed_event.delete',
    target,
    before: { entries: deleted },
    after: null,
  });
}
