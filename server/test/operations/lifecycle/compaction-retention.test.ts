import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayTable } from '../../../src/core/events/storage/event-partitions.js';
import { type RetentionProgress, runRetention } from '../../../src/operations/lifecycle/retention.js';
import { updateRetentionDays } from '../../../src/platform/admin-api/tenants.js';
import { utcDay } from '../../../src/platform/lib/day.js';
import {
  compact,
  countBlocks,
  DAY,
  DAY_START,
  fillClosedDay,
  NOW,
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
import { testActor } from '../../support/harness.js';

describe('compaction and retention', () => {
  let world: GameWorld;
  beforeEach(async () => {
    world = await createGameWorld();
  });
  afterEach(() => world.close());

  const retain = (onProgress?: (progress: RetentionProgress) => Promise<void>, nowMs = NOW) =>
    runRetention(world.pool, { actor: testActor(nowMs), ...(onProgress && { onProgress }) });
  const fillExpiring = async () => {
    const players = await fillClosedDay(world);
    for (const { gameId } of players) await updateRetentionDays(world.pool, gameId, 3);
    return players;
  };
  /** Neither the table of the rewrite nor any row about the day. */
  const expectForgotten = async () => {
    expect(await compact(world)).toMatchObject({ state: 'nothing' });
    const left = await world.pool.query(
      'select to_regclass($1) as beside, (select count(*)::int from event_block_days) as days',
      [`${TABLE}_compact`],
    );
    expect(left.rows).toEqual([{ beside: null, days: 0 }]);
    expect(await storedEvents(world)).toEqual([]);
  };

  it('drops a day whose rewrite was interrupted', async () => {
    await fillExpiring();
    const stop = new AbortController();
    await compact(world, { signal: stop.signal, onProgress: () => stop.abort() });
    expect(await retain()).toMatchObject({ state: 'done', droppedPartitions: [TABLE] });
    await expectForgotten();
  });

  it('drops a day while it is being rewritten, without an error', async () => {
    await fillExpiring();
    const dropped: string[] = [];
    const result = await compact(world, {
      onProgress: async () => void dropped.push(...(await retain()).droppedPartitions),
    });
    expect(dropped).toEqual([TABLE]);
    expect(result).toMatchObject({ state: 'nothing' });
    await expectForgotten();
  });

  it('drops a compacted day', async () => {
    const [player] = (await fillExpiring()) as [TestPlayer];
    await retain();
    const [next, later] = [NOW - 2 * DAY_MS, NOW + 5 * DAY_MS];
    for (let n = 0; n < 20; n++) await send(world, player, [adImpressionAt(next, 500 + n)], next + n);
    expect(await compact(world, { nowMs: later })).toMatchObject({ state: 'done', day: utcDay(next) });
    const { droppedPartitions } = await retain(undefined, later);
    expect(droppedPartitions).toContain(dayTable(utcDay(next)));
    await expectForgotten();
  });

  it('deletes a game from a day that is replaced while its pages are read', async () => {
    const [keeps, short] = [await world.addGame('keeps'), await world.addGame('short')];
    await ensureDays(world.pool, [DAY]);
    // More pages than retention reads in one step; the events to delete are on the last of them.
    for (const [gameId, blocks] of [
      [keeps, 3_000],
      [short, 50],
    ] as const) {
      const [player] = await world.addPlayers(gameId, [NOW - 90 * DAY_MS]);
      await world.pool.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         select $1, at, $2, 1, at, at, jsonb_build_array(jsonb_build_array(
           'Fill', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), jsonb_build_object('t', repeat('x', 1600)), '{}'::jsonb))
         from generate_series(1, $3::int) n
         cross join lateral (select $4::timestamptz + n * interval '1 second' as at) t`,
        [player?.playerId, gameId, blocks, new Date(DAY_START)],
      );
    }
    await updateRetentionDays(world.pool, short, 3);
    const blocks = await countBlocks(world);
    const steps: number[] = [];
    const result = await retain(async ({ partition, donePages, totalPages }) => {
      if (partition !== TABLE) return;
      steps.push(totalPages);
      if (donePages === totalPages || steps.length > 1) return;
      await compact(world, { limits: { pagesPerWindow: 10_000, maxEvents: 500, maxBytes: 128 * 1024 } });
      expect(await stateOf(world)).toBe('compacted');
    });
    expect(steps[0]).toBeGreaterThan(512);
    expect(steps.at(-1)).toBeLessThan(512);
    expect(await countBlocks(world)).toBeLessThan(blocks / 4);
    expect(result).toMatchObject({ state: 'done', deletedEvents: 50 });
    const left = await world.pool.query<{ game: number }>('select distinct game_id as game from events');
    expect(left.rows).toEqual([{ game: keeps }]);
  });
});
