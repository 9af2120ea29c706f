import type { Logger } from 'pino';
import { lockGame } from '../../core/configs/config-queries.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { asApiError, type Pool, transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import type { Clock } from '../../platform/lib/clock.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import type { Job, JobRun, Jobs } from '../admin-api/background-jobs.js';
import {
  deleteOldJobs,
  findJob,
  insertJob,
  type JobEnd,
  updateJobEnded,
  updateJobProgress,
} from './job-queries.js';

/** Often enough for a person who watches, and for a job that is cancelled. */
const HEARTBEAT_MS = 1_000;
/** How long the result of a job is kept. */
const KEPT_MS = DAY_MS;
/** Jobs of a game. Of more, the oldest are deleted. */
const MAX_KEPT = 100;

const STOPPED =
  'The service was stopped while this work was under way. What was done until then stays done. Start it again.';

type Options = Readonly<{ pool: Pool; clock: Clock; logger: Logger }>;

export function createJobs({ pool, clock, logger }: Options): Jobs {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const end = (jobId: string, outcome: Pick<JobEnd, 'state' | 'result' | 'failure'>) => {
    const finishedAt = clock.now();
    return updateJobEnded(pool, jobId, { ...outcome, finishedAt, expiresAt: finishedAt + KEPT_MS });
  };

  /** Does the work, and notes what came of it. Never rejects: without a database the job counts as failed after a while. */
  const perform = async ({ jobId, kind }: Job, work: (run: JobRun) => Promise<unknown>): Promise<void> => {
    const cancelled = new AbortController();
    const signal = AbortSignal.any([stopping.signal, cancelled.signal]);
    let progress: { done: number; total: number | null } = { done: 0, total: null };
    const heartbeat = setInterval(() => {
      updateJobProgress(pool, jobId, progress)
        .then((isRunning) => !isRunning && cancelled.abort())
        // The job counts as running through a short outage.
        .catch(() => {});
    }, HEARTBEAT_MS);
    const tell = (told: { done: number; total: number }) => {
      progress = told;
    };
    try {
      const result = await work({ signal, tell });
      if (stopping.signal.aborted) await end(jobId, { state: 'failed', result: null, failure: STOPPED });
      else await end(jobId, { state: 'done', result, failure: null });
    } catch (error) {
      const failure = stopping.signal.aborted ? STOPPED : failureOf(error);
      if (!signal.aborted) logger.error({ err: error, jobId, kind }, 'a job failed');
      await end(jobId, { state: 'failed', result: null, failure }).catch(() => {});
    } finally {
      clearInterval(heartbeat);
    }
  };

  return {
    start(job, work, take) {
      return new Promise((resolve, reject) => {
        const taken = take(async () => {
          const inserted = await transaction(pool, async (client) => {
            // Concurrent starts come one after the other.
            await lockGame(client, job.gameId);
            await deleteOldJobs(client, job.gameId, MAX_KEPT - 1);
            const { nowMs } = job.actor;
            return insertJob(client, job, { jobId: uuid7(nowMs), expiresAt: nowMs + KEPT_MS });
          });
          resolve(inserted);
          if (inserted === undefined) return;
          const performed = perform(inserted, work);
          running.add(performed);
          await performed.finally(() => running.delete(performed));
        });
        if (taken === undefined) resolve(undefined);
        // After the job has begun, this changes nothing.
        else taken.catch(reject);
      });
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function failureOf(error: unknown): string {
  const apiError = asApiError(error);
  return (apiError instanceof ApiError ? apiError : new ApiError('internal')).message;
}

/** False if the game has no such job that runs. What the job has done until then stays done. */
export function cancelJob(pool: Pool, gameId: number, jobId: string, actor: Actor): Promise<boolean> {
  return transaction(pool, async (client) => {
    const job = await findJob(client, gameId, jobId);
    const finishedAt = actor.nowMs;
    const ended = { result: null, failure: null, finishedAt, expiresAt: finishedAt + KEPT_MS };
    if (job === undefined || !(await updateJobEnded(client, jobId, { state: 'cancelled', ...ended }))) {
      return false;
    }
    const { kind, subject, done, total } = job;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'job.cancel',
      target: `job ${jobId}`,
      before: { kind, subject, done, total },
      after: null,
    });
    return true;
  });
}
