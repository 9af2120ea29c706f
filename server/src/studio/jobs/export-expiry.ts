import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';

/** Chunks per statement. A chunk has up to a few megabytes. */
const CHUNKS = 50;

/** Deletes expired exports and their chunks, some chunks at a time. Returns how many exports were deleted. */
export async function deleteExpiredExports(
  db: Pool | DedicatedConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  let exportId = await endExpiredExport(db, nowMs);
  while (exportId !== undefined && signal?.aborted !== true) {
    if ((await deleteChunks(db, exportId)) === CHUNKS) continue;
    await db.query('delete from export_jobs where id = $1', [exportId]);
    deleted++;
    exportId = await endExpiredExport(db, nowMs);
  }
  return deleted;
}

async function deleteChunks(db: Pool | DedicatedConnection, exportId: string): Promise<number> {
  const { rowCount } = await db.query(
    `delete from export_chunks where job_id = $1 and number = any (array(
       select number from export_chunks where job_id = $1 order by number limit $2))`,
    [exportId, CHUNKS],
  );
  return rowCount ?? 0;
}

/** Ends an expired export: from then on no node adds or reads a chunk. */
async function endExpiredExport(db: Pool | DedicatedConnection, nowMs: number): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `update export_jobs set state = 'cancelled', worker = null
     where id = (select id from export_jobs where expires_at <= $1 order by expires_at limit 1)
     returning id`,
    [new Date(nowMs)],
  );
  return rows[0]?.id;
}
