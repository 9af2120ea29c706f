/** @module-tag full */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import type { CompactionResult } from '../../../src/operations/event-storage/compact-events.js';
import type { Rewrite } from '../../../src/operations/event-storage/compact-queries.js';
import {
  compact,
  countBlocks,
  DAY,
  DAY_START,
  fillClosedDay,
  NOW,
  SMALL_SCALE,
  send,
  stateOf,
  storedEvents,
} from '../../support/closed-day.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
} from '../../support/game-world.js';
import { findWaiting } from '../../support/locks.js';
import { rebuildOnce } from '../../support/rebuild-once.js';

/** A deferred day is taken up again. */
const NEXT_DAY = NOW + 3 * DAY_MS;
const ONE_ATTEMPT = { limits: { lockAttempts: 1, freezeAttempts: 1 } };

describe('compaction beside other transactions', () => {
  let world: GameWorld;
  let player: TestPlayer;
  let other: pg.Client;
  beforeEach(async () => {
    world = await createGameWorld();
    [player] = (await fillClosedDay(world)) as [TestPlayer];
    other = new pg.Client({ connectionString: world.url });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await world.close();
  });

  /** An event that was received on the closed day and comes in now, as from a queue. */
  const sendLate = (n: number) =>
    send(world, player, [adImpressionAt(DAY_START, 10_000 + n)], DAY_START + 3_600_000 + n);
  /** As `sendLate`, in a transaction that is still open. */
  const beginLate = async () => {
    await other.query('begin');
    await other.query(
      `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
       values ($1, $2::timestamptz + interval '1 hour', $3, 1, $2, $2, '[["Late", "2026-11-10T00:00:00.000Z", {}, {}]]')`,
      [player.playerId, new Date(DAY_START), player.gameId],
    );
  };
  /** Rewrites the day without putting it in place. */
  const rewriteOnly = async () => {
    const stop = new AbortController();
    const onProgress = ({ donePages, totalPages }: Rewrite) => {
      if (donePages === totalPages) stop.abort();
    };
    expect(await compact(world, { signal: stop.signal, onProgress })).toMatchObject({
      state: 'interrupted',
      pagesLeft: 0,
    });
  };
  const waitsFor = async () => {
    const { rows } = await world.pool.query('select waits_for from event_block_days where day = $1', [DAY]);
    return rows[0]?.waits_for;
  };
  const expectDeferred = async (result: CompactionResult) => {
    expect(result).toMatchObject({ state: 'waiting', day: DAY });
    expect(await stateOf(world)).toBe('deferred');
    expect(await compact(world)).toMatchObject({ state: 'nothing' });
  };
  const finishTomorrow = async () => {
    expect(await compact(world, { nowMs: NEXT_DAY })).toMatchObject({ state: 'done', day: DAY });
  };
  const killWaiting = async (statement: string) => {
    // Each wait is short, but there are many.
    await expect
      .poll(async () => {
        const pid = await findWaiting(world.pool, statement);
        if (pid === undefined) return false;
        const { rows } = await world.pool.query('select pg_terminate_backend($1) as killed', [pid]);
        return rows[0]?.killed;
      })
      .toBe(true);
  };

  it('keeps an event that comes in while its day is being rewritten', async () => {
    const before = await storedEvents(world);
    let late = 0;
    await expectDeferred(
      await compact(world, {
        onProgress: async () => {
          if (late++ === 0) await sendLate(late);
        },
      }),
    );
    const after = await storedEvents(world);
    expect(after).toHaveLength(before.length + 1);
    await finishTomorrow();
    expect(await storedEvents(world)).toEqual(after);
  });

  it('keeps an event that comes in between the rewrite and the swap', async () => {
    const before = await storedEvents(world);
    await rewriteOnly();
    await sendLate(1);
    await expectDeferred(await compact(world));
    const after = await storedEvents(world);
    expect(after).toHaveLength(before.length + 1);
    await finishTomorrow();
    expect(await storedEvents(world)).toEqual(after);
  });

  it('waits for an event that is on its way, and keeps it', async () => {
    const before = await storedEvents(world);
    await rewriteOnly();
    const blocks = await countBlocks(world);
    await beginLate();
    expect(await compact(world, ONE_ATTEMPT)).toMatchObject({ state: 'waiting', day: DAY });
    expect(await waitsFor()).toBe('lock');
    expect(await countBlocks(world)).toBe(blocks);
    await other.query('commit');
    await expectDeferred(await compact(world));
    const after = await storedEvents(world);
    expect(after).toHaveLength(before.length + 1);
    await finishTomorrow();
    expect(await storedEvents(world)).toEqual(after);
  });

  it('keeps an event that is committed while the swap waits for its lock', async () => {
    const before = await storedEvents(world);
    await rewriteOnly();
    await beginLate();
    const compacting = compact(world, { limits: { lockAttempts: 10_000 } });
    await expect.poll(() => findWaiting(world.pool, 'lock table')).toBeDefined();
    await other.query('commit');
    await expectDeferred(await compacting);
    const after = await storedEvents(world);
    expect(after).toHaveLength(before.length + 1);
    await finishTomorrow();
    expect(await storedEvents(world)).toEqual(after);
  });

  it('loses nothing of late events that go on coming in, and counts none twice', async () => {
    const before = await storedEvents(world);
    let [sent, sending] = [0, true];
    const writers = [0, 1, 2].map(async () => {
      while (sending) await sendLate(++sent);
    });
    // As many days go by.
    for (let day = 0; day < 5; day++) {
      const { state } = await compact(world, {
        nowMs: NEXT_DAY + 2 * day * DAY_MS,
        limits: { pagesPerWindow: 1_000 },
      });
      expect(['waiting', 'done', 'nothing']).toContain(state);
    }
    sending = false;
    await Promise.all(writers);
    const after = await storedEvents(world);
    expect(after).toHaveLength(before.length + sent);
    await compact(world, { nowMs: NOW + 30 * DAY_MS });
    expect(await stateOf(world)).toBe('compacted');
    expect(await storedEvents(world)).toEqual(after);
    const [reading] = await findFacts(world.pool, [player.playerId], NOW);
    expect((await rebuildOnce(world.url, player, NOW)).facts.eventCount).toBe(reading?.facts.eventCount);
  });

  it('does not bring back what is deleted meanwhile', async () => {
    let deleted = 0;
    await expectDeferred(
      await compact(world, {
        onProgress: async () => {
          const gone = await other.query('delete from event_blocks where player_id = $1', [player.playerId]);
          deleted += gone.rowCount ?? 0;
        },
      }),
    );
    expect(deleted).toBeGreaterThan(0);
    const left = await storedEvents(world);
    await finishTomorrow();
    expect(await storedEvents(world)).toEqual(left);
    const own = await world.pool.query('select from events where player_id = $1', [player.playerId]);
    expect(own.rowCount).toBe(0);
  });

  it('hides no event from a transaction that is older than the larger blocks', async () => {
    const before = await storedEvents(world);
    await other.query('begin isolation level repeatable read');
    // The snapshot is taken, and no lock on events.
    await other.query('select count(*) from tenants');
    expect(await compact(world, { limits: { freezeAttempts: 3 } })).toMatchObject({
      state: 'waiting',
      day: DAY,
      pagesLeft: 0,
    });
    expect(await waitsFor()).toBe('snapshot');
    const seen = await other.query('select from events');
    expect(seen.rowCount).toBe(before.length);
    await other.query('commit');
    expect(await compact(world)).toMatchObject({ state: 'done' });
    expect(await storedEvents(world)).toEqual(before);
  });

  it('hides no event from a transaction that began before the swap', async () => {
    const before = await storedEvents(world);
    await rewriteOnly();
    let state: CompactionResult['state'];
    do {
      await other.query('begin isolation level repeatable read');
      await other.query('select count(*) from tenants');
      ({ state } = await compact(world, ONE_ATTEMPT));
      const seen = await other.query('select from events');
      expect(seen.rowCount).toBe(before.length);
      await other.query('commit');
      // The snapshot may be taken for older than it is while other databases of the server are written to.
    } while (state === 'waiting');
    expect(state).toBe('done');
  });

  it('gives way to a reader and lets intake through meanwhile', async () => {
    const before = await storedEvents(world);
    await other.query('begin');
    await other.query('select from event_blocks limit 1');
    const stop = new AbortController();
    const compacting = compact(world, { signal: stop.signal, limits: { lockAttempts: 10_000 } });
    await expect.poll(() => findWaiting(world.pool, 'select swap_in_day_rewrite')).toBeDefined();
    await send(world, player, [adImpressionAt(NOW, 1)], NOW);
    stop.abort();
    expect(await compacting).toMatchObject({ state: 'interrupted', pagesLeft: 0 });
    await other.query('commit');
    expect(await compact(world)).toMatchObject({ state: 'done' });
    expect(await storedEvents(world)).toHaveLength(before.length + 1);
  });

  it('is killed in the middle of a step, and goes on where it was', async () => {
    const before = await storedEvents(world);
    const killed = compact(world, {
      onProgress: async () => {
        await other.query('begin');
        await other.query('select from event_block_days for update');
      },
    });
    const rejected = expect(killed).rejects.toThrow(/terminat/i);
    await killWaiting('update event_block_days set done_pages');
    await rejected;
    await other.query('rollback');
    expect(await storedEvents(world)).toEqual(before);
    const progress: number[] = [];
    const onProgress = ({ donePages }: Rewrite) => void progress.push(donePages);
    expect(await compact(world, { onProgress })).toMatchObject({ state: 'done' });
    expect(progress[0]).toBe(2 * SMALL_SCALE.pagesPerWindow);
    expect(await storedEvents(world)).toEqual(before);
  });

  it('is killed in the middle of the swap, and goes on where it was', async () => {
    const before = await storedEvents(world);
    await other.query('begin');
    await other.query('select from event_blocks limit 1');
    const rejected = expect(compact(world, { limits: { lockAttempts: 10_000 } })).rejects.toThrow();
    await killWaiting('select swap_in_day_rewrite');
    await rejected;
    await other.query('commit');
    expect(await storedEvents(world)).toEqual(before);
    const blocks = await countBlocks(world);
    const progress: Rewrite[] = [];
    expect(await compact(world, { onProgress: (step) => void progress.push(step) })).toMatchObject({
      state: 'done',
    });
    expect(progress).toEqual([]);
    expect(await countBlocks(world)).toBeLessThan(blocks / 4);
    expect(await storedEvents(world)).toEqual(before);
  });
});
