import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { listEventPartitions } from '../../../src/core/events/storage/event-partitions.js';
import { createMaintenance } from '../../../src/operations/lifecycle/maintenance.js';
import { updateRetentionDays } from '../../../src/platform/admin-api/tenants.js';
import { readDatabaseClock } from '../../../src/platform/db/database-clock.js';
import { utcDay } from '../../../src/platform/lib/day.js';
import { createMaintenanceMetrics } from '../../../src/platform/lifecycle/maintenance-metrics.js';
import type { MaintenanceStep } from '../../../src/platform/lifecycle/maintenance-step.js';
import { databaseSteps } from '../../support/database-steps.js';
import { ensureDays } from '../../support/event-days.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

/** Maintenance of a node whose clock is wrong, with the clock of a real database. */

const REFUSED =
  'maintenance was refused: the clock of this node differs from the clock of the database by more than a minute';

let world: GameWorld;
let player: TestPlayer;
let steps: readonly MaintenanceStep[];
let allSteps: string[];
beforeAll(async () => {
  world = await createGameWorld();
  steps = await databaseSteps(world.pool);
  allSteps = steps.map(({ name }) => name);
  [player] = (await world.addPlayers(await world.addGame('game'), [Date.now() - 300 * DAY_MS])) as [
    TestPlayer,
  ];
});
afterAll(() => world.close());

/** Events of the last 50 days, of which 30 days are kept. */
beforeEach(async () => {
  await world.pool.query(
    'update games set retention_days = null, events_deleted_before = null, events_cleaned_before = null',
  );
  for (const daysAgo of [50, 20, 10]) {
    const at = Date.now() - daysAgo * DAY_MS;
    await ensureDays(world.pool, [utcDay(at)]);
    await applyEvents(world.pool, toRecords(player, [adImpressionAt(at)], at));
  }
  await updateRetentionDays(world.pool, player.gameId, 30);
});

/** A node whose clock is ahead, by an amount that the test changes. */
const createNode = (aheadMs: number, only = steps) => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  const metrics = createMaintenanceMetrics();
  const node = {
    aheadMs,
    lines,
    run: () => maintenance.run(new AbortController().signal),
    outcomes: async () =>
      (await metrics.runs.get()).values.map(({ labels }) => `${labels.step} ${labels.outcome}`),
  };
  const clock = { now: () => Date.now() + node.aheadMs };
  const maintenance = createMaintenance({
    pool: world.pool,
    logger,
    metrics,
    steps: only,
    readClock: (connection) => readDatabaseClock(connection, clock),
  });
  return node;
};

/** Everything that maintenance deletes, sums or closes. */
const stored = async () => {
  const tables = ['sessions', 'games', 'game_days', 'game_breakdown_days', 'event_block_days', 'audit_log'];
  const rows: Record<string, unknown> = {};
  for (const table of tables) {
    const found = await world.pool.query(`select to_jsonb(t)::text as row from ${table} t order by 1`);
    rows[table] = found.rows;
  }
  const events = await world.pool.query('select count(*)::int as n from events');
  return { ...rows, events: events.rows, partitions: await listEventPartitions(world.pool) };
};
const partitionOf = (daysAgo: number) =>
  `event_blocks_${utcDay(Date.now() - daysAgo * DAY_MS).replaceAll('-', '')}`;
const partitions = async () => (await listEventPartitions(world.pool)).map(({ name }) => name);

describe('maintenance on a node with a wrong clock', () => {
  it.each([
    ['ahead', 100],
    ['behind', -100],
  ])('changes nothing 100 days %s of the database, and says so once', async (_, days) => {
    const before = await stored();
    const node = createNode(days * DAY_MS);
    expect(await node.run()).toEqual(allSteps);
    expect(await stored()).toEqual(before);
    expect(await node.outcomes()).toEqual(allSteps.map((name) => `${name} refused`));
    expect(node.lines).toEqual([
      expect.objectContaining({
        level: 50,
        msg: REFUSED,
        clockOffsetSeconds: days * 86_400,
        steps: allSteps,
      }),
    ]);
  });

  it('is done on a node whose clock is right', async () => {
    const node = createNode(0);
    expect(await node.run()).toEqual([]);
    expect(await partitions()).not.toContain(partitionOf(50));
    expect(await partitions()).toEqual(expect.arrayContaining([partitionOf(20), partitionOf(10)]));
    expect(node.lines.map(({ msg }) => msg)).not.toContain(REFUSED);
  });

  it.each([
    ['ahead', 100 * DAY_MS],
    ['back', -100 * DAY_MS],
  ])('is refused after the clock has jumped %s, until it is right again', async (_, jumpMs) => {
    const node = createNode(0);
    expect(await node.run()).toEqual([]);
    node.aheadMs = jumpMs;
    const before = await stored();
    expect(await node.run()).toEqual(allSteps);
    expect(await stored()).toEqual(before);
    node.aheadMs = 0;
    expect(await node.run()).toEqual([]);
  });

  it('is refused from the step on before which the clock has jumped', async () => {
    const ran: string[] = [];
    const step = (name: string, work = () => {}): MaintenanceStep => ({
      name,
      maxMs: 60_000,
      async run() {
        ran.push(name);
        work();
        return { outcome: 'done', did: {} };
      },
    });
    const node = createNode(0, [
      step('before', () => {
        node.aheadMs = DAY_MS;
      }),
      step('after'),
    ]);
    expect(await node.run()).toEqual(['after']);
    expect(ran).toEqual(['before']);
  });

  it.each([50_000, -50_000])(
    'goes by the clock of the database where the node is off by %i ms',
    async (ms) => {
      let nowMs = 0;
      const look: MaintenanceStep = {
        name: 'look',
        maxMs: 60_000,
        async run(run) {
          nowMs = run.nowMs;
          return { outcome: 'done', did: {} };
        },
      };
      const before = Date.now();
      expect(await createNode(ms, [look]).run()).toEqual([]);
      expect(nowMs).toBeGreaterThan(before - 25_000);
      expect(nowMs).toBeLessThan(Date.now() + 25_000);
    },
  );
});
