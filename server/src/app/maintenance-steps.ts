import { dropOldIdentities, ensureEventPartitions } from '../core/events/storage/event-partitions.js';
import { deleteExpiredStays } from '../core/players/stay-expiry.js';
import { forgetDevices } from '../core/sessions/forget-devices.js';
import type { DeviceHashes } from '../core/sessions/forgotten-devices.js';
import { deleteExpiredSessions } from '../core/sessions/session-expiry.js';
import { gradeExperiments } from '../experiments/grading/grade-experiments.js';
import { deleteEndedHoldouts } from '../experiments/holdout-expiry.js';
import { compareHoldouts } from '../experiments/holdouts/compare-holdouts.js';
import { sumExperiments } from '../experiments/sum-experiments.js';
import { sumBreakdowns } from '../insight/analytics/breakdowns/sum-breakdowns.js';
import { compactRollups } from '../insight/analytics/compact-rollups.js';
import { deleteExpiredFailedEvents } from '../insight/failed-events/expiry.js';
import { WAITING_PURCHASES } from '../insight/failed-events/replay-waiting.js';
import { countDailySizes } from '../liveops/audiences/count-daily-sizes.js';
import { type CompactionResult, compactEvents } from '../operations/event-storage/compact-events.js';
import { type RetentionResult, runRetention } from '../operations/lifecycle/retention.js';
import { serviceActor } from '../platform/admin-api/audit-log.js';
import { MINUTE_MS } from '../platform/lib/day.js';
import type { MaintenanceStep, StepResult } from '../platform/lifecycle/maintenance-step.js';
import { deleteExpiredAccess } from '../studio/accounts/account-expiry.js';
import { deleteExpiredExports } from '../studio/jobs/export-expiry.js';
import { deleteExpiredJobs } from '../studio/jobs/job-expiry.js';

const BREAKDOWNS = 'breakdowns';
const EXPERIMENTS = 'experiments';

/**
 * These steps also run every few minutes, because they sum the present day, or what somebody has asked for. If nothing has changed, they
 * read one row per game.
 */
export const FREQUENT_STEPS: readonly string[] = [BREAKDOWNS, EXPERIMENTS, WAITING_PURCHASES];

/** The steps that usually take longest come last. */
export const MAINTENANCE_STEPS: readonly MaintenanceStep[] = [
  {
    name: 'event_partitions',
    maxMs: 2 * MINUTE_MS,
    run: async ({ pool, nowMs }) => done({ partitionsMade: await ensureEventPartitions(pool, nowMs) }),
  },
  {
    name: 'failed_events',
    maxMs: 10 * MINUTE_MS,
    run: async ({ connection, nowMs, signal }) =>
      done({ failedEventsDeleted: await deleteExpiredFailedEvents(connection, nowMs, signal) }),
  },
  {
    name: 'sessions',
    maxMs: 15 * MINUTE_MS,
    run: async ({ connection, nowMs, signal }) =>
      done({ sessionsDeleted: await deleteExpiredSessions(connection, nowMs, signal) }),
  },
  {
    name: 'access',
    maxMs: 2 * MINUTE_MS,
    run: async ({ connection, nowMs, signal }) =>
      done({ accessDeleted: await deleteExpiredAccess(connection, nowMs, signal) }),
  },
  {
    name: 'exports',
    maxMs: 10 * MINUTE_MS,
    run: async ({ connection, nowMs, signal }) =>
      done({
        exportsDeleted: await deleteExpiredExports(connection, nowMs, signal),
        jobsDeleted: await deleteExpiredJobs(connection, nowMs, signal),
      }),
  },
  {
    name: 'rollups',
    maxMs: 15 * MINUTE_MS,
    run: async ({ connection, nowMs, signal }) =>
      done({ shardsAddedUp: await compactRollups(connection, nowMs, signal) }),
  },
  {
    name: BREAKDOWNS,
    // 31 changed days of 200,000 players took 20 s.
    maxMs: 15 * MINUTE_MS,
    async run({ connection, nowMs, signal }) {
      const { isDone, daysSummed, rowsDeleted } = await sumBreakdowns(connection, { nowMs, signal });
      return { outcome: isDone ? 'done' : 'unfinished', did: { daysSummed, rowsDeleted } };
    },
  },
  {
    name: 'holdouts',
    maxMs: 15 * MINUTE_MS,
    async run({ connection, nowMs, signal }) {
      const { isDone, gamesCompared } = await compareHoldouts(connection, { nowMs, signal });
      return { outcome: isDone ? 'done' : 'unfinished', did: { gamesCompared } };
    },
  },
  {
    name: EXPERIMENTS,
    maxMs: 15 * MINUTE_MS,
    async run({ pool, connection, nowMs, signal }) {
      const { isDone, experimentsSummed } = await sumExperiments(connection, { pool, nowMs, signal });
      return { outcome: isDone ? 'done' : 'unfinished', did: { experimentsSummed } };
    },
  },
  {
    name: 'holdout_exposures',
    // What is left of a large hold-out goes on an hour later.
    maxMs: 10 * MINUTE_MS,
    run: async ({ pool, connection, nowMs, signal }) =>
      done({ exposuresDeleted: await deleteEndedHoldouts(connection, { pool, nowMs, signal }) }),
  },
  {
    name: 'experiment_grades',
    // Once a night. What is left of a large installation goes on an hour later.
    maxMs: 15 * MINUTE_MS,
    async run({ connection, nowMs, signal }) {
      const { isDone, gamesGraded } = await gradeExperiments(connection, { nowMs, signal });
      return { outcome: isDone ? 'done' : 'unfinished', did: { gamesGraded } };
    },
  },
  {
    name: 'segment_sizes',
    // A game takes a second or two. The games that are left are counted an hour later.
    maxMs: 10 * MINUTE_MS,
    run: async ({ pool, connection, nowMs, signal }) =>
      done({ gamesCounted: await countDailySizes(pool, connection, nowMs, signal) }),
  },
  {
    name: 'retention',
    // Deleting the events of a large game for the first time takes hours, in several runs.
    maxMs: 45 * MINUTE_MS,
    async run({ pool, nowMs, signal }) {
      const { state, droppedPartitions, deletedEvents } = await runRetention(pool, {
        actor: serviceActor(nowMs),
        signal,
      });
      return {
        outcome: OUTCOMES[state],
        did: { eventsDeleted: deletedEvents, partitionsDropped: droppedPartitions.length },
      };
    },
  },
  {
    name: 'segment_stays',
    // After retention, which marks from which day on each game keeps its events.
    maxMs: 15 * MINUTE_MS,
    run: async ({ connection, signal }) =>
      done({ staysDeleted: await deleteExpiredStays(connection, signal) }),
  },
  {
    name: 'event_identities',
    maxMs: 2 * MINUTE_MS,
    run: async ({ pool, nowMs }) =>
      done({ generationsForgotten: (await dropOldIdentities(pool, nowMs)).length }),
  },
  {
    name: 'event_compaction',
    // A day of fifty million single events takes about an hour beside traffic.
    maxMs: 50 * MINUTE_MS,
    async run({ pool, nowMs, signal }) {
      const { state, pagesLeft, bytesFreed } = await compactEvents(pool, { nowMs, signal });
      const did = { daysCompacted: state === 'done' ? 1 : 0, pagesLeft, bytesFreed };
      return { outcome: OUTCOMES[state], did };
    },
  },
];

/** Forgets device ids; no step where they are not to be forgotten. */
export function forgetDevicesSteps(hashes: DeviceHashes, afterDays: number): MaintenanceStep[] {
  if (afterDays === 0) return [];
  const run: MaintenanceStep['run'] = async ({ connection, nowMs, signal }) =>
    done({ devicesForgotten: await forgetDevices(connection, { hashes, afterDays, nowMs, signal }) });
  return [{ name: 'devices', maxMs: 10 * MINUTE_MS, run }];
}

const OUTCOMES: Record<(RetentionResult | CompactionResult)['state'], StepResult['outcome']> = {
  done: 'done',
  nothing: 'done',
  busy: 'busy',
  waiting: 'unfinished',
  interrupted: 'unfinished',
};

function done(did: StepResult['did']): StepResult {
  return { outcome: 'done', did };
}
