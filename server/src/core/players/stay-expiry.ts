import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';

const CHUNK = 5_000;

/**
 * Deletes stays that ended before the first day whose events their game still keeps, in chunks of a transaction each, and returns
 * how many. Nothing asks for them any more: explain reaches back to that day. Stays that have not ended are kept, however long
 * ago they began, and so are all stays of games without retention.
 */
export async function deleteExpiredStays(
  db: Pool | DedicatedConnection,
  signal?: AbortSignal,
  chunk = CHUNK,
): Promise<number> {
  let deleted = 0;
  for (const { gameId, before } of await listRetentions(db)) {
    let found = chunk;
    while (found === chunk && signal?.aborted !== true) {
      found = await deleteStays(db, gameId, before, chunk);
      deleted += found;
    }
  }
  return deleted;
}

/** Games that have deleted events: `before` is the day, in UTC, from which on they keep them. */
async function listRetentions(db: Pool | DedicatedConnection): Promise<{ gameId: number; before: string }[]> {
  const { rows } = await db.query<{ gameId: number; before: string }>(
    `select id as "gameId", events_deleted_before::text as before from games
     where events_deleted_before is not null order by id`,
  );
  return rows;
}

async function deleteStays(
  db: Pool | DedicatedConnection,
  gameId: number,
  before: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from segment_stays where ctid = any (array(
       select ctid from segment_stays
       where game_id = $1 and left_at < $2::timestamp at time zone 'UTC' order by left_at limit $3))`,
    [gameId, before, limit],
  );
  return rowCount ?? 0;
}
