import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { tryAdvisoryLock, walkByIndex, withOwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { HOUR_MS } from '../../lib/day.js';
import type { MaintenanceMetrics, StepOutcome } from './maintenance-metrics.js';
import { MAINTENANCE_STEPS, type MaintenanceStep, type StepResult } from './maintenance-steps.js';

const PAUSES = {
  /** Soon after a start, but behind the first requests. Nodes that start together do not all come at once. */
  firstMs: 5_000,
  firstJitterMs: 10_000,
  betweenRunsMs: HOUR_MS,
  jitterMs: 300_000,
  /** What failed may work again as soon as the database does. Each further attempt waits twice as long. */
  retryMs: 60_000,
};
const FREQUENT_MS = 300_000;
/** Portions of work take fractions of a second: a statement that needs longer than this is stuck. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** After this much more than its time a step is left to itself. */
const GIVE_UP_AFTER_MS = 2 * STATEMENT_TIMEOUT_MS;

export type MaintenanceOptions = {
  pool: Pool;
  logger: Logger;
  metrics: MaintenanceMetrics;
  steps?: readonly MaintenanceStep[];
  giveUpAfterMs?: number;
};

export type Maintenance = {
  /**
   * Runs every step once, or those that are named, and gives the names of those that failed. Never rejects: each step's
   * failure is its own.
   */
  run(nowMs: number, signal: AbortSignal, only?: readonly string[]): Promise<string[]>;
};

/**
 * What has to happen now and then, on any one node. The steps do not depend on each other:
 *
 *                     ┌─ lock held elsewhere ──► busy
 *   step ──► own ─────┤                    ┌─ all of it ──────► done
 *         connection  └─ lock ──► work ────┼─ out of time ────► unfinished (the next run goes on)
 *                                          └─ error ──────────► failed
 *
 * Each has its own connection, cluster-wide lock and time. One that fails, or does not even stop when its time is over, is
 * logged and counted, and the next one runs.
 */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { metrics, logger, steps = MAINTENANCE_STEPS, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const running = new Set<string>();

  const runStep = async (
    step: MaintenanceStep,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<StepOutcome | undefined> => {
    const started = performance.now();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(step.maxMs)]);
    let result: StepResult | undefined;
    let failure: unknown;
    try {
      result = await inTurn(options.pool, step, nowMs, stop);
    } catch (error) {
      failure = error;
    }
    // A run that the stop of the service has cut off says nothing about the step.
    if (signal.aborted) return undefined;
    const outcome = outcomeOf(result, stop);
    const seconds = (performance.now() - started) / 1_000;
    metrics.runs.inc({ step: step.name, outcome });
    metrics.duration.set({ step: step.name }, seconds);
    if (outcome === 'done') metrics.lastSuccess.setToCurrentTime({ step: step.name });
    log(logger, step, outcome, { seconds, did: result?.did ?? {}, failure });
    return outcome;
  };

  return {
    async run(nowMs, signal, only) {
      const failed: string[] = [];
      const begun = performance.now();
      for (const step of steps) {
        if (signal.aborted) break;
        if (running.has(step.name) || only?.includes(step.name) === false) continue;
        running.add(step.name);
        const over = new AbortController();
        // The steps before it may have taken hours.
        const work = runStep(step, nowMs + performance.now() - begun, signal)
          .then((outcome) => outcome === 'failed' && failed.push(step.name))
          .finally(() => {
            running.delete(step.name);
            over.abort();
          });
        const deadline = pause(step.maxMs + giveUpAfterMs, AbortSignal.any([signal, over.signal]));
        await Promise.race([work, deadline]);
        if (!over.signal.aborted && !signal.aborted) {
          logger.error({ step: step.name }, 'a step of maintenance does not stop; the others run without it');
        }
      }
      return failed;
    },
  };
}

/** Runs a step unless another node, or this one, is at it. */
async function inTurn(
  pool: Pool,
  step: MaintenanceStep,
  nowMs: number,
  signal: AbortSignal,
): Promise<StepResult> {
  return withOwnConnection(pool, async (connection) => {
    if (!(await tryAdvisoryLock(connection, 'savepoint maintenance', step.name)))
      return { outcome: 'busy', did: {} };
    await connection.query("select set_config('statement_timeout', $1, false)", [STATEMENT_TIMEOUT_MS]);
    await walkByIndex(connection);
    return step.run({ connection, pool, nowMs, signal });
  });
}

function outcomeOf(result: StepResult | undefined, stop: AbortSignal): StepOutcome {
  if (result === undefined) return 'failed';
  return result.outcome === 'done' && stop.aborted ? 'unfinished' : result.outcome;
}

type LogDetails = { seconds: number; did: StepResult['did']; failure: unknown };

function log(logger: Logger, { name, maxMs }: MaintenanceStep, outcome: StepOutcome, details: LogDetails) {
  const { seconds, did, failure } = details;
  const line = { step: name, outcome, seconds: Number(seconds.toFixed(3)), ...did };
  switch (outcome) {
    case 'failed':
      return logger.warn(
        { ...line, err: failure },
        'a step of maintenance failed; it is tried again, first after a minute',
      );
    case 'unfinished':
      return logger.warn(
        { ...line, maxSeconds: maxMs / 1_000 },
        'a step of maintenance is not finished; the next run goes on from there',
      );
    case 'busy':
      return logger.debug(line, 'a step of maintenance is at work on another node');
    case 'done': {
      const level = Object.values(did).some((count) => count > 0) ? 'info' : 'debug';
      return logger[level](line, 'a step of maintenance is done');
    }
  }
}

/**
 * Runs maintenance soon after the start, and then about once an hour. What failed is tried again in between:
 *
 *   all steps ──► failed ones, after 1, 2, 4, … minutes ──► the rest of the hour ──► all steps
 */
export function scheduleMaintenance(maintenance: Maintenance, pauses = PAUSES): { stop(): void } {
  const { firstMs, firstJitterMs, betweenRunsMs, jitterMs, retryMs } = pauses;
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepRunning = async (): Promise<void> => {
    await pause(firstMs + Math.random() * firstJitterMs, signal);
    while (!signal.aborted) {
      let failed = await maintenance.run(Date.now(), signal);
      let leftMs = betweenRunsMs + Math.random() * jitterMs;
      for (let waitMs = retryMs; failed.length > 0 && waitMs < leftMs && !signal.aborted; waitMs *= 2) {
        await pause(waitMs, signal);
        leftMs -= waitMs;
        failed = await maintenance.run(Date.now(), signal, failed);
      }
      await pause(leftMs, signal);
    }
  };
  void keepRunning();
  return { stop: () => stopping.abort() };
}

/** Runs some steps every few minutes. What fails is tried again with the next run. */
export function scheduleFrequently(
  maintenance: Maintenance,
  names: readonly string[],
  everyMs = FREQUENT_MS,
): { stop(): void } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      await maintenance.run(Date.now(), signal, names);
    }
  };
  void keepRunning();
  return { stop: () => stopping.abort() };
}

/** Ends early when the signal comes. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
