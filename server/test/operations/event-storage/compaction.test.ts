import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { createEventStoreMetrics } from '../../../src/operations/event-storage/event-store-metrics.js';
import { COMPACTION } from '../../../src/operations/event-storage/operations.js';
import { createMaintenance } from '../../../src/operations/lifecycle/maintenance.js';
import { utcDay } from '../../../src/platform/lib/day.js';
import { createMaintenanceMetrics } from '../../../src/platform/lifecycle/maintenance-metrics.js';
import { bothClocksAt } from '../../support/both-clocks.js';
import {
  compact,
  countBlocks,
  DAY,
  DAY_START,
  exportedFile,
  fillClosedDay,
  NOW,
  SMALL_SCALE,
  send,
  stateOf,
  storedEvents,
  TABLE,
} from '../../support/closed-day.js';
import { ensureDays } from '../../support/event-days.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
} from '../../support/game-world.js';
import { metricValue } from '../../support/metric-value.js';
import { rebuildOnce } from '../../support/rebuild-once.js';

const HOUR_MS = 3_600_000;

describe('compaction of a closed day', () => {
  let world: GameWorld;
  let players: TestPlayer[];
  beforeEach(async () => {
    world = await createGameWorld();
    players = await fillClosedDay(world);
  });
  afterEach(() => world.close());

  const gameIds = () => [...new Set(players.map(({ gameId }) => gameId))];
  /** All that anybody can read of the events. */
  const readAll = async () => ({
    stored: await storedEvents(world),
    files: await Promise.all(gameIds().map((id) => exportedFile(world, id))),
    pasts: await Promise.all(
      players.map(async (player) => {
        const facts = [];
        for (const hour of [1, 12, 12.02, 24]) {
          const past = (await rebuildOnce(world.url, player, DAY_START + hour * HOUR_MS)).facts;
          facts.push({ ...past, days: [...past.days].sort((a, b) => a.epochDay - b.epochDay) });
        }
        return facts;
      }),
    ),
    checks: await Promise.all(gameIds().map((id) => recountGame(world.pool, id))),
  });

  it('changes no result of a read: before, in the middle and after', async () => {
    const before = await readAll();
    expect(before.stored.length).toBeGreaterThan(380);
    expect(before.checks.flatMap(({ differences }) => differences)).toEqual([]);
    const blocks = await countBlocks(world);

    const stop = new AbortController();
    const interrupted = await compact(world, { signal: stop.signal, onProgress: () => stop.abort() });
    expect(interrupted).toMatchObject({ state: 'interrupted', day: DAY });
    expect(await countBlocks(world)).toBe(blocks);
    expect(await readAll()).toEqual(before);

    const progress: number[] = [];
    const done = await compact(world, { onProgress: ({ donePages }) => void progress.push(donePages) });
    expect(done).toMatchObject({ state: 'done', day: DAY });
    // It went on where it was.
    expect(progress[0]).toBe(2 * SMALL_SCALE.pagesPerWindow);
    expect(await countBlocks(world)).toBeLessThan(blocks / 4);
    expect(await readAll()).toEqual(before);
    expect(await compact(world)).toMatchObject({ state: 'nothing' });
  });

  it('makes blocks of one player, installation and window that are neither too large nor too many', async () => {
    expect(await compact(world)).toMatchObject({ state: 'done' });
    const { rows } = await world.pool.query<{
      playerId: string;
      events: number;
      bytes: number;
      windows: number;
      counted: boolean;
      page: number;
    }>(
      `select b.player_id as "playerId", event_count as events, octet_length(events::text) as bytes,
         (select count(distinct width_bucket(coalesce(e.received_at, b.received_at), d.window_starts))::int
          from event_rows(b.events) e) as windows,
         (select count(*) = b.event_count and min(e.occurred_at) >= b.first_at - interval '1 ms'
            and max(e.occurred_at) <= b.last_at + interval '1 ms' and min(coalesce(e.received_at, b.received_at)) = b.received_at
          from event_rows(b.events) e) as counted
       from ${TABLE} b, event_block_days d where d.day = $1 order by b.ctid`,
      [DAY],
    );
    expect(rows.every(({ counted, windows }) => counted && windows === 1)).toBe(true);
    expect(Math.max(...rows.map(({ events }) => events))).toBeLessThanOrEqual(1.5 * SMALL_SCALE.maxEvents);
    // A large event is left as it is.
    expect(rows.filter(({ bytes }) => bytes > SMALL_SCALE.maxBytes).length).toBe(0);
    expect(rows.filter(({ bytes }) => bytes > 16_000).every(({ events }) => events === 1)).toBe(true);
    const windows = await world.pool.query<{ n: number }>(
      'select cardinality(window_starts) as n from event_block_days where day = $1',
      [DAY],
    );
    expect(windows.rows[0]?.n).toBeGreaterThan(2);
    // The blocks of a player lie beside each other in each window; a page may hold the end of one window and the start of the next.
    const runs = rows.filter(({ playerId }, n) => playerId !== rows[n - 1]?.playerId).length;
    expect(runs).toBeLessThanOrEqual(2 * (windows.rows[0]?.n ?? 0) * players.length);
  });

  it('leaves days alone that are not closed or have little to gain', async () => {
    // Two days back events may still wait in a queue.
    const open = utcDay(NOW - 2 * DAY_MS);
    for (let n = 0; n < 20; n++)
      await send(
        world,
        players[0] as TestPlayer,
        [adImpressionAt(NOW - 2 * DAY_MS, n)],
        NOW - 2 * DAY_MS + n,
      );
    // In batches, and of a player each.
    const batched = utcDay(DAY_START + DAY_MS);
    await ensureDays(world.pool, [batched]);
    for (const [n, player] of players.entries()) {
      const batch = Array.from({ length: 25 }, (_, k) => adImpressionAt(DAY_START + DAY_MS + k, 100 * n + k));
      await send(world, player, batch, DAY_START + DAY_MS + n);
    }

    expect(await compact(world)).toMatchObject({ state: 'done', day: DAY });
    expect(await compact(world)).toMatchObject({ state: 'nothing' });
    expect(await Promise.all([open, batched].map((day) => stateOf(world, day)))).toEqual([undefined, 'kept']);
  });

  it('works on one day a run, the latest first, on one node at a time, and tells how many are left', async () => {
    const days = [1, 2].map((n) => utcDay(DAY_START - n * DAY_MS));
    for (const day of days) {
      await ensureDays(world.pool, [day]);
      for (let n = 0; n < 20; n++)
        await send(
          world,
          players[0] as TestPlayer,
          [adImpressionAt(Date.parse(day), n)],
          Date.parse(day) + n,
        );
    }
    // Another day may have begun since the partitions were made.
    const { registry } = createEventStoreMetrics(world.pool, { now: () => NOW });
    const left = () => metricValue(registry, 'savepoint_event_days_to_compact');
    expect(await left()).toBe(3);
    const results = await Promise.all([compact(world), compact(world), compact(world)]);
    // Those that came while the first was at it had nothing to do; one that came after it did the next day.
    const done = results.flatMap(({ state, day }) => (state === 'done' ? [day] : []));
    expect(done.length).toBeGreaterThan(0);
    expect([...done].sort().reverse()).toEqual([DAY, ...days].slice(0, done.length));
    expect(results.filter(({ state }) => state === 'busy').length).toBe(3 - done.length);
    expect(await left()).toBe(3 - done.length);
  });

  it('is a step of maintenance, with limits for days of real size', async () => {
    await world.pool.query(
      `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
       select ($1::bigint[])[1 + n % 4], at, $2, 1, at, at, jsonb_build_array(jsonb_build_array(
         'Fill', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), jsonb_build_object('n', n), '{}'::jsonb))
       from generate_series(1, 8000) n
       cross join lateral (select $3::timestamptz + n * interval '1 second' as at) t`,
      [players.map(({ playerId }) => playerId), players[0]?.gameId, new Date(DAY_START)],
    );
    const before = await storedEvents(world);
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
    const maintenance = createMaintenance({
      pool: world.pool,
      logger,
      metrics: createMaintenanceMetrics(),
      steps: [COMPACTION],
      readClock: async () => bothClocksAt(NOW),
    });
    // PostgreSQL's own upkeep may be at the day for some seconds.
    await expect
      .poll(async () => {
        await maintenance.run(new AbortController().signal);
        return lines.at(-1);
      })
      .toMatchObject({
        step: 'event_compaction',
        outcome: 'done',
        daysCompacted: 1,
        pagesLeft: 0,
        bytesFreed: expect.any(Number),
      });
    expect(lines.at(-1)?.bytesFreed).toBeGreaterThan(1_000_000);
    expect(await storedEvents(world)).toEqual(before);
    const { rows } = await world.pool.query(
      `select max(event_count)::int as most, count(*)::int as blocks from ${TABLE}`,
    );
    expect(rows[0]?.most).toBeGreaterThan(400);
    expect(rows[0]?.most).toBeLessThanOrEqual(750);
    expect(rows[0]?.blocks).toBeLessThan(60);
  });
});
