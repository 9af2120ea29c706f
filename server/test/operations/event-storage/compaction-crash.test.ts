/** @module-tag full */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import {
  compact,
  countBlocks,
  DAY,
  fillClosedDay,
  NOW,
  SMALL_SCALE,
  storedEvents,
} from '../../support/closed-day.js';
import { createGameWorld, type GameWorld, type TestPlayer } from '../../support/game-world.js';
import { findWaiting } from '../../support/locks.js';
import {
  children,
  clearAway,
  kill,
  makePreparedFolder,
  query,
  start,
} from '../../support/postgres-folders.js';
import { rebuildOnce } from '../../support/rebuild-once.js';

/** A PostgreSQL of its own: a session that is killed takes all others of its server with it. */
describe('compaction and kill -9', () => {
  let serverUrl: string;
  let world: GameWorld;
  let players: TestPlayer[];
  let other: pg.Client;
  let databases = 0;
  beforeAll(async () => {
    serverUrl = (await start(await makePreparedFolder())).url;
  });
  afterAll(clearAway);
  beforeEach(async () => {
    const name = `crash_${++databases}`;
    await query(serverUrl, `create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    await migrate(url.href, () => {});
    world = await createGameWorld(4, { url: url.href, drop: async () => {} });
    players = await fillClosedDay(world);
    other = new pg.Client({ connectionString: url.href });
    other.on('error', () => {});
    await other.connect();
  });
  afterEach(async () => {
    await other.end().catch(() => {});
    await world.close();
  });

  const killBackend = async (statement: string) => {
    await expect
      .poll(async () => {
        const pid = await findWaiting(world.pool, statement);
        return pid !== undefined && process.kill(pid, 'SIGKILL');
      })
      .toBe(true);
  };
  /** Nothing is lost or doubled, and the next run finishes. */
  const expectSound = async (before: string[], blocks: number) => {
    // PostgreSQL may still be starting.
    await expect.poll(() => storedEvents(world)).toEqual(before);
    // The killed run's session may be at its last statement.
    await expect
      .poll(async () => (await compact(world)).state, { interval: 100 })
      .toSatisfy((state) => state === 'done' || state === 'nothing');
    expect(await countBlocks(world)).toBeLessThan(blocks / 4);
    expect(await storedEvents(world)).toEqual(before);
    for (const player of players) {
      const [reading] = await findFacts(world.pool, [player.playerId], NOW);
      const rebuilt = await rebuildOnce(world.url, player, NOW);
      expect(rebuilt.facts.eventCount).toBe(reading?.facts.eventCount);
    }
    const { rows } = await world.pool.query('select state from event_block_days where day = $1', [DAY]);
    expect(rows).toEqual([{ state: 'compacted' }]);
  };

  it('loses and doubles nothing when PostgreSQL dies in the middle of a step', async () => {
    const [before, blocks] = [await storedEvents(world), await countBlocks(world)];
    const killed = compact(world, {
      onProgress: async () => {
        await other.query('begin');
        await other.query('select from event_block_days for update');
      },
    });
    const rejected = expect(killed).rejects.toThrow();
    await killBackend('update event_block_days set done_pages');
    await rejected;
    await expectSound(before, blocks);
  });

  it('loses and doubles nothing when PostgreSQL dies in the middle of the swap', async () => {
    const [before, blocks] = [await storedEvents(world), await countBlocks(world)];
    await other.query('begin');
    await other.query('select from event_blocks limit 1');
    const rejected = expect(compact(world, { limits: { lockAttempts: 10_000 } })).rejects.toThrow();
    await killBackend('select swap_in_day_rewrite');
    await rejected;
    await expectSound(before, blocks);
  });

  it('loses and doubles nothing when the process dies between two steps', async () => {
    const [before, blocks] = [await storedEvents(world), await countBlocks(world)];
    const child = compactInChild(world.url);
    if (child.stdout === null) throw new Error('no pipe');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(JSON.parse(line)).toMatchObject({ day: DAY, donePages: SMALL_SCALE.pagesPerWindow });
    // It is at it, and nobody else is let in.
    expect(await compact(world)).toMatchObject({ state: 'busy' });
    await kill(child);
    await expectSound(before, blocks);
  });
});

/** Compacts in a process of its own, tells of its first step, and stays there. It runs what `npm test` has built. */
function compactInChild(url: string): ChildProcess {
  const script = `
    const [folder, url, nowMs, limits] = process.argv.slice(1);
    const { createPool } = await import(folder + 'platform/db/pool.js');
    const { compactEvents } = await import(folder + 'operations/event-storage/compact-events.js');
    const pool = createPool({ url, size: 2, timeoutMs: 60_000, onError: () => {} });
    const stay = new Promise(() => setInterval(() => {}, 1_000));
    const onProgress = (step) => {
      process.stdout.write(JSON.stringify(step) + '\\n');
      return stay;
    };
    await compactEvents(pool, { nowMs: Number(nowMs), rests: false, limits: JSON.parse(limits), onProgress });`;
  const folder = new URL('../../../dist/', import.meta.url).href;
  const args = ['--input-type=module', '-e', script, folder, url, String(NOW), JSON.stringify(SMALL_SCALE)];
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}
