import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createConfigSnapshots } from '../../../src/core/configs/config-snapshots.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { configWith, sku } from '../../decide/support/fixtures.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';
import { createSteppedQueue } from '../../support/stepped-queue.js';

const actor = { name: 'Ada', nowMs: Date.UTC(2026, 10, 15) };
/** However busy the machine is. */
const PATIENCE = { timeout: 120_000 };
const withSkus = (count: number) =>
  configWith({ catalogue: Array.from({ length: count }, (_, n) => sku(`sku-${n}`)) });

let world: GameWorld;
beforeAll(async () => {
  world = await createGameWorld();
});
afterAll(() => world.close());

async function addGame(slug: string, document: ConfigDocument): Promise<number> {
  const gameId = await world.addGame(slug);
  const published = await publishConfig(world.pool, { gameId, document, note: '' }, actor);
  expect(published).toMatchObject({ outcome: 'published', version: 1 });
  return gameId;
}

it('compiles a version once for all requests of its game, while other games are served', async () => {
  const large = await addGame('large', withSkus(100));
  const small = await addGame('small', withSkus(1));
  const { queue, keys, runSlice } = createSteppedQueue(1);
  const snapshots = createConfigSnapshots(world.pool, pino({ level: 'silent' }), queue);
  const done: string[] = [];
  const waiting = [1, 2, 3].map(async () => {
    const compiled = await snapshots.get(large, 1);
    done.push('large');
    return compiled;
  });
  await vi.waitFor(() => expect(keys).toEqual([large]), PATIENCE);
  await runSlice();
  expect(done).toEqual([]);

  const other = (async () => {
    const compiled = await snapshots.get(small, 1);
    done.push('small');
    return compiled;
  })();
  await vi.waitFor(() => expect(keys).toEqual([large, small]), PATIENCE);
  while (!done.includes('small')) await runSlice();
  expect(done).toEqual(['small']);
  expect((await other).skus).toHaveLength(1);

  while (await runSlice());
  const [first, ...others] = await Promise.all(waiting);
  expect(first?.skus).toHaveLength(100);
  for (const each of others) expect(each).toBe(first);
  // Read and compiled, each of them once.
  expect(keys).toEqual([large, small, small, large]);
});

it('takes over what did not change since the version before', async () => {
  const before = withSkus(3);
  const gameId = await addGame('follower', before);
  const snapshots = createConfigSnapshots(world.pool, pino({ level: 'silent' }));
  const first = await snapshots.get(gameId, 1);
  const [one, , three] = before.catalogue;
  const catalogue = [one, sku('sku-1', { hidden: true }), three].flatMap((each) => each ?? []);
  await publishConfig(world.pool, { gameId, document: { ...before, catalogue }, note: '' }, actor);
  const second = await snapshots.get(gameId, 2);
  expect(second.skus.map((each, index) => each === first.skus[index])).toEqual([true, false, true]);
  expect(second.skus[1]?.hidden).toBe(true);
});
