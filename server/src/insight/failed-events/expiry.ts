import { deleteOldFailedEvents } from '../../core/events/failed/inbox-queries.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** Replayed or not: by then the fault has been seen, or the inbox is not watched. */
const KEEP_MS = 30 * DAY_MS;
const CHUNK = 5_000;

/** Deletes what was received more than 30 days ago, in chunks of a transaction each. Returns how many. */
export async function deleteExpiredFailedEvents(
  db: Pool | DedicatedConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(nowMs - KEEP_MS);
  let deleted = 0;
  while (signal?.aborted !== true) {
    const chunk = await deleteOldFailedEvents(db, before, CHUNK);
    deleted += chunk;
    if (chunk < CHUNK) break;
  }
  return deleted;
}
