import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';

const HOUR_MS = 3_600_000;
/** Offline players' events of the last days find a partition; older ones go to the default one. */
const PARTITIONS_BEHIND_DAYS = 7;
const PARTITIONS_AHEAD_DAYS = 14;
/** Ended and expired sessions are kept a day for support questions. */
const SESSION_KEEP_DAYS = 1;
const DELETE_CHUNK = 10_000;

/** What has to happen now and then, on any one node. Safe to run on several at once, and to interrupt. */
export async function runMaintenance(pool: Pool, nowMs: number): Promise<void> {
  await ensureEventPartitions(pool, nowMs);
  await deleteOldSessions(pool, nowMs);
}

export async function ensureEventPartitions(pool: Pool, nowMs: number): Promise<void> {
  const day = (offset: number) => new Date(nowMs + offset * 24 * HOUR_MS).toISOString().slice(0, 10);
  // Several nodes take turns: a partition that two make at once would be an error for one of them.
  await pool.query(
    `with turn as materialized (select pg_advisory_xact_lock(hashtext('savepoint event partitions')))
     select ensure_event_partitions($1, $2) from turn`,
    [day(-PARTITIONS_BEHIND_DAYS), day(PARTITIONS_AHEAD_DAYS)],
  );
}

async function deleteOldSessions(pool: Pool, nowMs: number): Promise<void> {
  const before = new Date(nowMs - SESSION_KEEP_DAYS * 24 * HOUR_MS);
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from sessions
       where id in (select id from sessions where expires_at < $1 limit $2 for update skip locked)`,
      [before, DELETE_CHUNK],
    );
    if ((rowCount ?? 0) < DELETE_CHUNK) return;
  }
}

export function scheduleMaintenance(pool: Pool, logger: Logger): { stop(): void } {
  const timer = setInterval(() => {
    runMaintenance(pool, Date.now()).catch((error: unknown) =>
      logger.warn({ err: error }, 'maintenance failed; it is tried again in an hour'),
    );
  }, HOUR_MS).unref();
  return { stop: () => clearInterval(timer) };
}
