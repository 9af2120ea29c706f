import type { OwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';

const DAY_MS = 86_400_000;
const CHUNK = 10_000;

/** Deletes sessions that expired more than a day ago, in chunks of a transaction each. Returns how many. */
export async function deleteExpiredSessions(
  db: Pool | OwnConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(nowMs - DAY_MS);
  let deleted = 0;
  while (signal?.aborted !== true) {
    const { rowCount } = await db.query(
      `delete from sessions
       where id = any (array(select id from sessions where expires_at < $1 limit $2 for update skip locked))`,
      [before, CHUNK],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < CHUNK) break;
  }
  return deleted;
}
