import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { serviceActor } from '../audit/audit-log.js';
import { deleteExpiredFailedEvents } from '../failed-events/expiry.js';
import { runRetention } from '../retention/retention.js';
import { compactRollups } from '../rollups/compact-rollups.js';
import { ensureEventPartitions } from './event-partitions.js';

const HOUR_MS = 3_600_000;
/** Ended and expired sessions are kept a day for support questions. */
const SESSION_KEEP_DAYS = 1;
const DELETE_CHUNK = 10_000;

/** What has to happen now and then, on any one node. Safe to run on several at once, and to interrupt. */
async function runMaintenance(
  pool: Pool,
  nowMs: number,
  logger: Logger,
  signal?: AbortSignal,
): Promise<void> {
  await ensureEventPartitions(pool, nowMs);
  await deleteOldSessions(pool, nowMs);
  await deleteExpiredFailedEvents(pool, nowMs);
  await compactRollups(pool, nowMs);
  const retention = await runRetention(pool, {
    actor: serviceActor(nowMs),
    ...(signal === undefined ? {} : { signal }),
  });
  if (retention.state !== 'nothing') logger.info(retention, 'deleted events that are no longer kept');
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
  const stopping = new AbortController();
  let running = false;
  const run = async () => {
    // Deleting a large game's events for the first time can take longer than an hour.
    if (running) return;
    running = true;
    try {
      await runMaintenance(pool, Date.now(), logger, stopping.signal);
    } catch (error) {
      // A run that is cut off by the stop is finished by the next one.
      if (!stopping.signal.aborted)
        logger.warn({ err: error }, 'maintenance failed; it is tried again in an hour');
    } finally {
      running = false;
    }
  };
  const timer = setInterval(run, HOUR_MS).unref();
  return {
    stop() {
      stopping.abort();
      clearInterval(timer);
    },
  };
}
