import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ClockReading, isOff, offsetOf, readDatabaseClock } from '../../platform/db/database-clock.js';
import {
  type DedicatedConnection,
  tryAdvisoryLock,
  walkByIndex,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { HOUR_MS } from '../../platform/lib/day.js';
import type { MaintenanceMetrics, StepOutcome } from '../../platform/lifecycle/maintenance-metrics.js';
import type { MaintenanceStep, StepResult } from '../../platform/lifecycle/maintenance-step.js';

const PAUSES = {
  /** Soon after a start, but after the first requests. The jitter spreads nodes that start together. */
  firstMs: 5_000,
  firstJitterMs: 10_000,
  betweenRunsMs: HOUR_MS,
  jitterMs: 300_000,
  /** A step that failed is tried again after a minute, because the database may be back. Each further attempt waits twice as long. */
  retryMs: 60_000,
};
const FREQUENT_MS = 300_000;
/** A portion of work takes a fraction of a second: a statement that takes longer than this is stuck. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** When a step exceeds its time by this much, the next step runs without waiting for it. */
const GIVE_UP_AFTER_MS = 2 * STATEMENT_TIMEOUT_MS;

const REFUSED =
  'maintenance was refused: the clock of this node differs from the clock of the database by more than a minute';

export type MaintenanceOptions = {
  pool: Pool;
  logger: Logger;
  metrics: MaintenanceMetrics;
  steps: readonly MaintenanceStep[];
  giveUpAfterMs?: number;
  /** Tests set their own time. */
  readClock?: (connection: DedicatedConnection) => Promise<ClockReading>;
};

export type Maintenance = {
  /**
   * Runs every step once, or the steps of `only`, and returns the names of the steps that failed or were refused. Never rejects:
   * the failure of one step does not affect the others.
   */
  run(signal: AbortSignal, only?: readonly string[]): Promise<string[]>;
};

type StepEnd = Readonly<{ outcome: StepOutcome; did: StepResult['did'] }>;

/**
 * Periodic work, of which each step runs on one node at a time. The steps do not depend on each other:
 *
 *                     ┌─ clock of this node off ──► refused
 *   step ──► own ─────┼─ lock held elsewhere ──► busy
 *         connection  │                    ┌─ all of it ──────► done
 *                     └─ lock ──► work ────┼─ out of time ────► unfinished (the next run continues)
 *                                          └─ error ──────────► failed
 *
 * Each step has its own connection, cluster-wide lock and time limit. A step that fails, or does not stop at its time limit, is
 * logged and counted, and the next step runs. Steps delete, and close days: they get the time of the database, and a node
 * whose clock differs from it runs none.
 */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { metrics, logger, steps, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const running = new Set<string>();

  const runStep = async (step: MaintenanceStep, signal: AbortSignal): Promise<StepEnd | undefined> => {
    const started = performance.now();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(step.maxMs)]);
    let result: StepResult | undefined;
    let failure: unknown;
    try {
      result = await inTurn(options, step, stop);
    } catch (error) {
      failure = error;
    }
    // The service is stopping and has interrupted the step: the outcome says nothing about the step.
    if (signal.aborted) return undefined;
    const outcome = outcomeOf(result, stop);
    const seconds = (performance.now() - started) / 1_000;
    metrics.runs.inc({ step: step.name, outcome });
    metrics.duration.set({ step: step.name }, seconds);
    if (outcome === 'done') metrics.lastSuccess.setToCurrentTime({ step: step.name });
    const did = result?.did ?? {};
    log(logger, step, outcome, { seconds, did, failure });
    return { outcome, did };
  };

  return {
    async run(signal, only) {
      const failed: string[] = [];
      let refusal: StepEnd | undefined;
      for (const step of steps) {
        if (signal.aborted) break;
        if (running.has(step.name) || only?.includes(step.name) === false) continue;
        running.add(step.name);
        const over = new AbortController();
        const work = runStep(step, signal)
          .then((end) => {
            if (end?.outcome === 'refused') refusal = end;
            if (end?.outcome === 'failed' || end?.outcome === 'refused') failed.push(step.name);
          })
          .finally(() => {
            running.delete(step.name);
            over.abort();
          });
        const deadline = pause(step.maxMs + giveUpAfterMs, AbortSignal.any([signal, over.signal]));
        await Promise.race([work, deadline]);
        if (!over.signal.aborted && !signal.aborted) {
          logger.error(
            { step: step.name },
            'a step of maintenance does not stop; the other steps run without waiting for it',
          );
        }
      }
      if (refusal !== undefined) logger.error({ ...refusal.did, steps: failed }, REFUSED);
      return failed;
    },
  };
}

/** Runs a step, unless the clock of this node is off, or another node or this one is running it. */
async function inTurn(
  { pool, readClock = readDatabaseClock }: MaintenanceOptions,
  step: MaintenanceStep,
  signal: AbortSignal,
): Promise<StepResult> {
  return withDedicatedConnection(pool, async (connection) => {
    const reading = await readClock(connection);
    if (isOff(reading)) {
      return { outcome: 'refused', did: { clockOffsetSeconds: Math.round(offsetOf(reading) / 1_000) } };
    }
    if (!(await tryAdvisoryLock(connection, 'savepoint maintenance', step.name)))
      return { outcome: 'busy', did: {} };
    await connection.query("select set_config('statement_timeout', $1, false)", [STATEMENT_TIMEOUT_MS]);
    await walkByIndex(connection);
    return step.run({ connection, pool, nowMs: reading.databaseMs, signal });
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
        'a step of maintenance failed; it is tried again after a minute, then at longer intervals',
      );
    case 'unfinished':
      return logger.warn(
        { ...line, maxSeconds: maxMs / 1_000 },
        'a step of maintenance ran out of time; the next run continues',
      );
    case 'refused':
      // The run writes one line for all its steps.
      return logger.debug(line, 'a step of maintenance was refused');
    case 'busy':
      return logger.debug(line, 'a step of maintenance is running on another node');
    case 'done': {
      const level = Object.values(did).some((count) => count > 0) ? 'info' : 'debug';
      return logger[level](line, 'a step of maintenance is done');
    }
  }
}

/**
 * Runs maintenance soon after the start, and then about once an hour. Steps that failed are tried again in between:
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
      let failed = await maintenance.run(signal);
      let leftMs = betweenRunsMs + Math.random() * jitterMs;
      for (let waitMs = retryMs; failed.length > 0 && waitMs < leftMs && !signal.aborted; waitMs *= 2) {
        await pause(waitMs, signal);
        leftMs -= waitMs;
        failed = await maintenance.run(signal, failed);
      }
      await pause(leftMs, signal);
    }
  };
  void keepRunning();
  return { stop: () => stopping.abort() };
}

/** Runs some steps every few minutes. A step that fails is tried again with the next run. */
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
      await maintenance.run(signal, names);
    }
  };
  void keepRunning();
  return { stop: () => stopping.abort() };
}

/** Ends early when the signal comes. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
