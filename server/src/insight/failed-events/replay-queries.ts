import type { FailureReason } from '../../core/events/failed/failed-event.js';
import type { Client, Pool } from '../../platform/db/pool.js';
import type { FailedGroup } from './failed-event-queries.js';

/** What a replay needs of an entry. */
export type ClaimedEvent = {
  id: string;
  gameId: number;
  playerId: string;
  userId: string;
  raw: string;
  isCut: boolean;
  /** A server key with `purchases:write` sent it. */
  isServer: boolean;
  ordinal: number;
  receivedAt: number;
};

const CLAIMED = `
  select f.id, f.game_id as "gameId", f.player_id as "playerId", p.user_id as "userId", f.raw, f.is_cut as "isCut",
    f.is_server as "isServer", f.ordinal, f.received_at as "receivedAt"
  from failed_events f
  join players p on p.id = f.player_id and p.erase_requested_at is null`;

/** The entry, locked until the end of the transaction; undefined when it has been replayed, if need be in the meantime. */
export async function claimFailedEvent(client: Client, id: string): Promise<ClaimedEvent | undefined> {
  const { rows } = await client.query<ClaimedEvent>(
    `${CLAIMED} where f.id = $1 and f.replayed_at is null for update of f`,
    [id],
  );
  return rows[0];
}

export type IdRange = { afterId: string; lastId: string };

/** The next open entries of a group, oldest first, locked; those that another replay holds are left to it. */
export async function claimFailedEvents(
  client: Client,
  { gameId, code, eventType }: FailedGroup,
  { afterId, lastId }: IdRange,
  limit: number,
): Promise<ClaimedEvent[]> {
  const { rows } = await client.query<ClaimedEvent>(
    `${CLAIMED}
     where f.game_id = $1 and f.code = $2 and f.replayed_at is null
       and ($3 or f.event_type is not distinct from $4) and f.id > $5 and f.id <= $6
     order by f.id
     limit $7
     for update of f skip locked`,
    [gameId, code, eventType === undefined, eventType ?? null, afterId, lastId, limit],
  );
  return rows;
}

/** How many entries of a group are open, and the newest of them. */
export async function measureFailedGroup(
  pool: Pool,
  { gameId, code, eventType }: FailedGroup,
): Promise<{ entries: number; lastId: string }> {
  const { rows } = await pool.query<{ entries: number; lastId: string }>(
    `select count(*)::int as entries, coalesce(max(id), 0) as "lastId"
     from failed_events
     where game_id = $1 and code = $2 and replayed_at is null and ($3 or event_type is not distinct from $4)`,
    [gameId, code, eventType === undefined, eventType ?? null],
  );
  return rows[0] ?? { entries: 0, lastId: '0' };
}

/** `replayedAs`: the event that was applied, if it is not the one in the entry. */
export async function updateReplayed(
  client: Client,
  ids: readonly string[],
  nowMs: number,
  replayedAs: string | null,
): Promise<void> {
  await client.query(
    `with done as (
       update failed_events set replayed_at = $2, replayed_as = $3
       where id = any($1::bigint[]) and replayed_at is null
       returning game_id, octet_length(raw) as bytes
     )
     update failed_event_totals g set entries = g.entries - d.entries, bytes = g.bytes - d.bytes
     from (select game_id, count(*) as entries, sum(bytes) as bytes from done group by game_id) d
     where g.game_id = d.game_id`,
    [ids, new Date(nowMs), replayedAs],
  );
}

/** An entry that still fails keeps its place, with the new reason. */
export async function updateReasons(
  db: Client | Pool,
  failures: readonly (FailureReason & { id: string })[],
): Promise<void> {
  await db.query(
    `update failed_events f set code = w.code, message = w.message, path = w.path
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as w(id, code, message, path)
     where f.id = w.id and f.replayed_at is null
       and (f.code, f.message, f.path) is distinct from (w.code, w.message, w.path)`,
    [
      failures.map((failure) => failure.id),
      failures.map((failure) => failure.code),
      failures.map((failure) => failure.message),
      failures.map((failure) => failure.path),
    ],
  );
}
