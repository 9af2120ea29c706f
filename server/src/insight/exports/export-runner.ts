import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { isUnavailable, type Pool, transaction } from '../../platform/db/pool.js';
import type { Reads } from '../../platform/db/reads.js';
import type { Clock } from '../../platform/lib/clock.js';
import { createPoller, type Poller } from '../../platform/lib/poller.js';
import { exportEvents } from './export-events.js';
import { type ClaimedExport, KEPT_MS, MAX_BYTES } from './export-job.js';
import {
  claimExportJob,
  deleteExportProgress,
  updateExportEnded,
  updateExportHeartbeat,
  updateExportReleased,
} from './export-job-queries.js';
import { ExportFileError } from './export-target.js';
import { ExportLostError, ExportTooLargeError, jobTarget } from './job-target.js';

/** How soon a node finds a job that was started on, or abandoned by, another node. */
const POLL_MS = 5_000;
const HEARTBEAT_MS = 2_000;
/** A node that has sent no heartbeat for this long counts as gone. */
const LEASE_SECONDS = 30;
/** An export that was begun this often without writing a chunk has failed. */
const MAX_ATTEMPTS = 5;

type Options = Readonly<{
  pool: Pool;
  /** Where the events are read. Jobs and files are in the pool. */
  reads: Reads;
  clock: Clock;
  logger: Logger;
}>;

/**
 * Runs one export at a time on each node, in the process that also serves the admin API. Nudge it when there is a new job. When it
 * stops, it releases the running job after its current page, for another node.
 */
export function createExportRunner(options: Options): Poller {
  const { pool, logger } = options;
  const worker = randomUUID();
  return createPoller({
    everyMs: POLL_MS,
    async work(signal) {
      while (!signal.aborted) {
        const job = await claimExportJob(pool, worker, LEASE_SECONDS);
        if (job === undefined) return;
        await runExport(options, job, worker, signal);
      }
    },
    onError: (error) =>
      logger.warn({ err: error }, 'cannot look for exports; the next attempt is in a few seconds'),
  });
}

async function runExport(
  { pool, reads, clock, logger }: Options,
  job: ClaimedExport,
  worker: string,
  stopping: AbortSignal,
): Promise<void> {
  const held = { exportId: job.exportId, worker };
  const end = (state: 'done' | 'failed', failure: string | null) => {
    const nowMs = clock.now();
    return updateExportEnded(pool, held, { state, failure, nowMs, expiresAt: nowMs + KEPT_MS });
  };
  if (job.attempts > MAX_ATTEMPTS) {
    return end(
      'failed',
      `The export was interrupted ${MAX_ATTEMPTS} times before it had written anything. Start a new one.`,
    );
  }
  // Without a key to continue from, the export begins anew, and former chunks would be repeated.
  if (job.after === null) await transaction(pool, (client) => deleteExportProgress(client, held));
  const before = job.after === null ? 0 : job.events;
  const lost = new AbortController();
  let shown = before;
  const target = jobTarget(pool, { ...job, events: before }, worker);
  const heartbeat = setInterval(() => {
    updateExportHeartbeat(pool, held, shown)
      .then((isHeld) => !isHeld && lost.abort())
      // The lease outlasts a short outage.
      .catch(() => {});
  }, HEARTBEAT_MS);
  let db = pool;
  try {
    // After an attempt that wrote nothing, the primary is read. One that wrote a chunk may go on with the replica, if that is read again.
    if (job.attempts === 1) db = await reads.choose();
    const outcome = await exportEvents(db, {
      gameId: job.gameId,
      span: job.span,
      format: job.format,
      after: job.after,
      target,
      signal: AbortSignal.any([stopping, lost.signal]),
      onProgress({ events }) {
        shown = before + events;
      },
    });
    if (outcome === 'done') await end('done', null);
    else await updateExportReleased(pool, held);
  } catch (error) {
    if (error instanceof ExportLostError) return;
    if (error instanceof ExportTooLargeError) return await end('failed', TOO_LARGE);
    if (error instanceof ExportFileError) {
      // The events have been stored in another way since, so the export cannot be continued, and begins anew.
      await transaction(pool, (client) => deleteExportProgress(client, held));
      return await updateExportReleased(pool, held);
    }
    // The lease expires, and a node tries again.
    logger.warn({ err: error, exportId: job.exportId }, 'an export was interrupted; a node tries again');
    if (db === pool && isUnavailable(error)) throw error;
    await updateExportReleased(pool, held);
  } finally {
    clearInterval(heartbeat);
  }
}

const TOO_LARGE = `The file is larger than ${MAX_BYTES / 1024 ** 3} GiB. Choose a shorter time, or run \`savepoint export events\` on the server, which writes to a file.`;
