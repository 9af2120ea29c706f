import { pino } from 'pino';
import { createReceiptChecks } from '../../../../src/core/events/receipts/receipt-checks.js';
import { closedBefore, dayTable } from '../../../../src/core/events/storage/event-partitions.js';
import {
  findEventType,
  insertEventType,
  listEventTypes,
  retireEventType,
} from '../../../../src/core/events/types/event-type-queries.js';
import { createRegistries } from '../../../../src/core/events/types/registries.js';
import { findUsableKey } from '../../../../src/core/sessions/api-key-queries.js';
import { forgetDevices } from '../../../../src/core/sessions/forget-devices.js';
import { loadDeviceHashes } from '../../../../src/core/sessions/forgotten-devices.js';
import { compareHoldouts } from '../../../../src/experiments/holdouts/compare-holdouts.js';
import { sumBreakdowns } from '../../../../src/insight/analytics/breakdowns/sum-breakdowns.js';
import {
  countMissingEvents,
  countRefusedEvents,
  countStoredEvents,
  findPlayerTotals,
  sumStoredRevenue,
} from '../../../../src/insight/analytics/device-totals.js';
import { runFunnel } from '../../../../src/insight/analytics/funnels/run-funnel.js';
import { recountGame } from '../../../../src/insight/analytics/recount.js';
import type { FileStore } from '../../../../src/insight/event-files/file-store.js';
import { findFilesState } from '../../../../src/insight/event-files/files-state.js';
import {
  findFileTotals,
  findGameFolder,
  listFiles,
} from '../../../../src/insight/event-files/stored-files.js';
import { writeEventFiles } from '../../../../src/insight/event-files/writing/write-files.js';
import { listSentTypes } from '../../../../src/insight/event-types/sent-types.js';
import { exportEvents } from '../../../../src/insight/exports/export-events.js';
import { estimateEvents } from '../../../../src/insight/exports/export-queries.js';
import { deleteFailedEvent, deleteFailedGroup } from '../../../../src/insight/failed-events/delete-failed.js';
import {
  findFailedEvent,
  listFailedEvents,
  listFailedGroups,
} from '../../../../src/insight/failed-events/failed-event-queries.js';
import { replayFailedEvent, replayFailedGroup } from '../../../../src/insight/failed-events/replay.js';
import { updateReasons } from '../../../../src/insight/failed-events/replay-queries.js';
import { countLosses, listLosses, listMissing } from '../../../../src/insight/losses/losses.js';
import { compactEvents } from '../../../../src/operations/event-storage/compact-events.js';
import {
  countDaysToCompact,
  listStuckDays,
} from '../../../../src/operations/event-storage/compact-queries.js';
import { createMaintenance } from '../../../../src/operations/lifecycle/maintenance.js';
import { runRetention } from '../../../../src/operations/lifecycle/retention.js';
import { walkByIndex, withDedicatedConnection } from '../../../../src/platform/db/dedicated-connection.js';
import type { Pool } from '../../../../src/platform/db/pool.js';
import { utcDay } from '../../../../src/platform/lib/day.js';
import { createMaintenanceMetrics } from '../../../../src/platform/lifecycle/maintenance-metrics.js';
import { generateMasterKey, parseMasterKeys } from '../../../../src/platform/security/master-keys.js';
import { bothClocksAt } from '../../../support/both-clocks.js';
import { databaseSteps } from '../../../support/database-steps.js';
import { WORLD } from './large-tables.js';
import type { Installation, Listed } from './listed-statement.js';

const { gameId } = WORLD;
/** Keeps nothing: the statements are what is looked at. */
const NO_STORE: FileStore = {
  list: async () => new Map(),
  create: async () => ({ write: async () => {}, commit: async () => {}, discard: async () => {} }),
  open: async () => undefined,
  replace: async () => {},
  remove: async () => {},
};
const DAY_MS = 86_400_000;
const GROUP = { gameId, code: 'event_invalid' };

const actorAt = ({ nowMs }: Installation) => ({ name: 'a test', nowMs });

const replayTools = (pool: Pool) => ({
  pool,
  registries: createRegistries(pool, () => {}),
  receipts: createReceiptChecks({ pool, apple: undefined, isLimited: false }),
  hashes: async () => undefined,
});

const BREAKDOWN_TABLES = [
  'players',
  'player_days',
  'transactions',
  'config_versions',
  'game_active_players',
  'game_breakdowns',
  'game_breakdown_days',
  'breakdown_runs',
  'breakdown_sums',
  'game_install_cohorts',
  'game_install_revenue',
  'install_cohort_sums',
  'install_revenue_sums',
  'holdout_comparisons',
];

/** Statements about stored events, of commands and hourly work, without a name: PostgreSQL plans them for every call. */
export const EVENT_STATEMENTS: readonly Listed[] = [
  {
    what: 'what the service has of simulated players',
    call: async ({ admin }) => {
      await findUsableKey(admin, gameId, 'development');
      const devices = { gameId, deviceIds: ['d-1', 'd-2'] };
      await findPlayerTotals(admin, devices);
      await countStoredEvents(admin, devices);
      await sumStoredRevenue(admin, devices);
      await countRefusedEvents(admin, devices);
      await countMissingEvents(admin, devices);
    },
  },
  {
    what: 'event types',
    call: async (on) => {
      const { admin } = on;
      await insertEventType(admin, { gameId, eventType: 'another', schemaText: '{}' }, actorAt(on));
      await retireEventType(admin, gameId, 'another', actorAt(on));
      await findEventType(admin, gameId, 'another');
      await findEventType(admin, gameId, 'another', 1);
      await listEventTypes(admin, gameId);
    },
  },
  {
    what: 'single failed events',
    call: async (on) => {
      const { admin } = on;
      await listFailedEvents(admin, GROUP, { limit: 20 });
      await listFailedEvents(admin, { ...GROUP, eventType: null }, { limit: 20, beforeId: '10000' });
      await findFailedEvent(admin, '1');
      await updateReasons(admin, [{ id: '1', code: 'event_invalid', message: 'new', path: '' }]);
      await replayFailedEvent(replayTools(admin), '1', {
        actor: actorAt(on),
      });
      await deleteFailedEvent(admin, gameId, '2', actorAt(on));
    },
  },
  {
    what: 'groups of failed events',
    call: async (on) => {
      const { admin } = on;
      await listFailedGroups(admin, { limit: 1_000 });
      await listFailedGroups(admin, { gameId, limit: 50 });
      const after = { entries: 2, code: 'schema_mismatch', eventType: null } as const;
      await listFailedGroups(admin, { gameId, limit: 50, after });
      await replayFailedGroup(replayTools(admin), GROUP, {
        actor: actorAt(on),
      });
      await deleteFailedGroup(admin, GROUP, actorAt(on));
    },
    reads: {
      tables: ['failed_events'],
      why: 'groups are counted; a game has 100,000 open entries at most',
      atMost: 'all',
    },
  },
  {
    what: 'an export',
    call: async ({ admin, nowMs }) => {
      const span = { from: iso(nowMs - DAY_MS), to: iso(nowMs + DAY_MS) };
      const target = { write: async () => {}, pause: async () => {}, finish: async () => {} };
      await estimateEvents(admin, gameId, span);
      await exportEvents(admin, { gameId, span, format: 'ndjson', target, after: null });
    },
    reads: {
      tables: ['event_blocks', 'transactions'],
      why: 'all events of a span, then all transactions, 2,000 at a time from where the last page ended',
      atMost: 2_001,
    },
  },
  {
    what: 'types that were sent',
    call: async ({ admin, nowMs }) => {
      await listSentTypes(admin, gameId, nowMs, { limit: 50 });
      await listSentTypes(admin, gameId, nowMs, {
        limit: 50,
        after: { events: 3, eventType: 'Level_Start' },
      });
    },
    reads: { tables: ['game_event_types'], why: 'the days of one game since 28 days ago', atMost: 'all' },
  },
  {
    what: 'lost events',
    call: async ({ admin, nowMs }) => {
      const span = { sinceMs: nowMs - DAY_MS, untilMs: nowMs + DAY_MS };
      await listLosses(admin, gameId, span);
      await listMissing(admin, gameId, span);
      await countLosses(admin, span);
    },
    reads: { tables: ['event_gaps', 'games'], why: 'all gaps of a span of days are added up', atMost: 'all' },
  },
  {
    what: 'a check of the roll-ups',
    call: ({ admin }) => recountGame(admin, gameId),
    reads: {
      tables: [
        'event_blocks',
        'transactions',
        'players',
        'player_days',
        'game_days',
        'game_event_types',
        'game_cohorts',
      ],
      why: 'everything of a game is counted again',
      atMost: 'all',
    },
  },
  {
    what: 'a game that holds players out, for the next',
    call: async ({ admin }) => {
      await admin.query(
        `update config_versions set document = '{"store":{"holdoutPercent":5}}', published_at = published_at - interval '30 days'
         where game_id = ${gameId}`,
      );
      await admin.query(
        `update games set published_version = (select max(version) from config_versions where game_id = ${gameId})
         where id = ${gameId}`,
      );
    },
  },
  {
    what: 'sums of what players did, and of those who are held out',
    call: ({ admin, nowMs }) =>
      withDedicatedConnection(admin, async (connection) => {
        await walkByIndex(connection);
        // At midnight the days of retention change, so both runs are on one day at any time of the test.
        const noonMs = Math.floor(nowMs / DAY_MS) * DAY_MS + DAY_MS / 2;
        await sumBreakdowns(connection, { nowMs: noonMs, playersPerChunk: 5_000 });
        // Nothing has changed since.
        await sumBreakdowns(connection, { nowMs: noonMs + DAY_MS / 24 });
        await compareHoldouts(connection, { nowMs });
      }),
    reads: {
      tables: ['games', 'breakdown_runs', 'players', 'config_versions'],
      why: 'games are looked at 200 at a time, players read by their ids in chunks, and versions back to the last one with another share',
      atMost: 5_000,
    },
  },
  {
    what: 'funnels',
    call: async ({ admin, nowMs }) => {
      const span = { from: utcDay(nowMs - 30 * DAY_MS), to: utcDay(nowMs) };
      const funnel = { gameId, steps: ['A', 'B'], windowHours: 24, by: 'country', ...span } as const;
      await runFunnel(admin, { ...funnel, playersPerChunk: 500 });
    },
    reads: {
      tables: ['players', 'event_blocks'],
      why: 'players are counted for the progress and read by their ids in chunks, with the blocks of each',
      atMost: 'all',
    },
  },
  {
    what: 'hourly maintenance',
    call: async ({ admin, nowMs }) => {
      const [logger, metrics] = [pino({ level: 'silent' }), createMaintenanceMetrics()];
      const maintenance = createMaintenance({
        pool: admin,
        logger,
        metrics,
        steps: await databaseSteps(admin),
        readClock: async () => bothClocksAt(nowMs),
      });
      return maintenance.run(new AbortController().signal);
    },
    reads: {
      tables: [
        'event_blocks',
        'games',
        'sessions',
        'game_days',
        'game_event_types',
        'game_cohorts',
        ...BREAKDOWN_TABLES,
      ],
      why: 'all games are asked for their retention; sessions, roll-ups, events and players are dealt with in portions',
      atMost: 'all',
    },
  },
  {
    what: 'forgetting of devices',
    call: async ({ admin, nowMs }) => {
      const keys = parseMasterKeys(generateMasterKey());
      if (!keys.ok) throw new Error('no master key');
      const hashes = await loadDeviceHashes(admin, keys.keys);
      await withDedicatedConnection(admin, async (connection) => {
        await walkByIndex(connection);
        await forgetDevices(connection, { hashes, afterDays: 1, nowMs: nowMs + 1_000 * DAY_MS });
        await forgetDevices(connection, { hashes, afterDays: 1, nowMs: nowMs + 1_000 * DAY_MS });
      });
    },
    reads: {
      tables: ['devices', 'players', 'sessions'],
      why: 'chunks of 1,000 devices, by index',
      atMost: 1_001,
    },
  },
  {
    what: 'compaction of a closed day',
    call: async ({ admin, nowMs }) => {
      const later = nowMs + 5 * DAY_MS;
      await admin.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         select player_id, received_at, game_id, event_count, first_at, last_at, events from event_blocks`,
      );
      await countDaysToCompact(admin, closedBefore(later));
      await listStuckDays(admin);
      const limits = { minPages: 1, pagesPerWindow: 1, lockAttempts: 100, freezeAttempts: 100 };
      const { state } = await compactEvents(admin, { nowMs: later, rests: false, limits });
      if (state !== 'done') throw new Error(`${dayTable(utcDay(nowMs))} was not compacted: ${state}`);
    },
    reads: {
      tables: ['event_blocks'],
      why: 'a day is rewritten 16,384 pages at a time, beside the partition that all use',
      atMost: 'all',
    },
  },
  {
    what: 'files of a compacted day',
    async call({ admin, nowMs }) {
      const later = nowMs + 5 * DAY_MS;
      // Who has no key gets one.
      await admin.query('delete from player_keys where player_id = 1');
      await writeEventFiles({ pool: admin, store: NO_STORE, nowMs: later, rests: false });
      await findFilesState(admin, later);
      await findFileTotals(admin, gameId);
      await findGameFolder(admin, gameId);
      if ((await listFiles(admin, [gameId])).length === 0) throw new Error('no file was written');
    },
    reads: {
      tables: ['event_blocks', 'event_files', 'games'],
      why: 'a file has all events of a game and day, and a run looks at all files that there are',
      atMost: 'all',
    },
  },
  {
    what: 'an export of a compacted day',
    call: ({ admin, nowMs }) => {
      const span = { from: '2000-01-01T00:00:00.000000Z', to: iso(nowMs + DAY_MS) };
      const target = { write: async () => {}, pause: async () => {}, finish: async () => {} };
      return exportEvents(admin, { gameId, span, format: 'ndjson', target, after: null });
    },
    reads: {
      tables: ['event_blocks', 'transactions'],
      why: 'the events of a window of receipt are sorted together, outside of memory',
      atMost: 'all',
    },
  },
  {
    what: 'retention',
    call: async ({ admin, nowMs }) => {
      const actor = { name: 'a test', nowMs: nowMs + 40 * DAY_MS };
      await runRetention(admin, { actor, dryRun: true });
      await runRetention(admin, { actor });
    },
    reads: {
      tables: ['event_blocks', 'games'],
      why: 'blocks are deleted 512 pages at a time',
      atMost: 'all',
    },
  },
];

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
