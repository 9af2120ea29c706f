import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';

/** Jobs per statement. The result of a dry run may have some hundred kilobytes. */
const CHUNK = 500;

/** Deletes expired jobs. Returns how many were deleted. */
export async function deleteExpiredJobs(
  db: Pool | DedicatedConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (let last = CHUNK; last === CHUNK && signal?.aborted !== true; deleted += last) {
    const { rowCount } = await db.query(
      `delete from jobs where id = any (array(
         select id from jobs where expires_at <= $1 order by expires_at limit $2))`,
      [new Date(nowMs), CHUNK],
    );
    last = rowCount ?? 0;
  }
  return deleted;
}
