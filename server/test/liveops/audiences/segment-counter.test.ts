import { expect, it, vi } from 'vitest';
import {
  type CountedDocument,
  createSegmentCounter,
  requireCount,
} from '../../../src/liveops/audiences/segment-counter.js';
import { gameDocument } from '../../support/data-calls.js';

/** A counter whose counts end when the test ends them. */
function openCounter() {
  const counts: { counted: CountedDocument; end: (tookMs: number) => void; fail: () => void }[] = [];
  let elapsedMs = 0;
  const counter = createSegmentCounter(
    (counted, nowMs) =>
      new Promise<{ players: number; countedAt: number }>((resolve, reject) => {
        counts.push({
          counted,
          end(tookMs) {
            elapsedMs += tookMs;
            resolve({ players: counts.length, countedAt: nowMs });
          },
          fail: () => reject(new Error('broken')),
        });
      }),
    () => elapsedMs,
  );
  const count = (nowMs: number, { gameId = 1, version = 1, tenantId = 1 } = {}) =>
    counter.count({ tenantId, gameId, version, document: gameDocument([]) }, nowMs);
  return { counts, count };
}

it('shares one count among all requests, however long it takes', async () => {
  const { counts, count } = openCounter();
  const asked = [count(0), count(1), count(3_600_000)];
  expect(counts).toHaveLength(1);
  counts[0]?.end(1);
  for (const counted of asked) expect((await counted)?.players).toBe(1);
});

it.each([
  ['a minute', 10, 60_000],
  ['sixty times as long as it took', 5_000, 300_000],
  ['an hour at most', 300_000, 3_600_000],
])('keeps a count for %s', async (_, tookMs, keptMs) => {
  const { counts, count } = openCounter();
  const first = count(1_000);
  counts[0]?.end(tookMs);
  await first;
  expect(await count(1_000 + keptMs - 1)).toMatchObject({ countedAt: 1_000 });
  expect(counts).toHaveLength(1);
  void count(1_000 + keptMs);
  expect(counts).toHaveLength(2);
});

it('counts again for another version, and after a failure', async () => {
  const { counts, count } = openCounter();
  const first = count(0);
  const second = count(0, { version: 2 });
  // One count at a time for a studio.
  expect(counts).toHaveLength(1);
  counts[0]?.end(1);
  await first;
  await vi.waitUntil(() => counts.length === 2, { timeout: 60_000 });
  expect(counts[1]?.counted.version).toBe(2);
  counts[1]?.fail();
  await expect(second).rejects.toThrow('broken');
  void count(0, { version: 2 });
  expect(counts).toHaveLength(3);
});

it('refuses a studio with too many waiting counts', () => {
  const { count } = openCounter();
  const asked = Array.from({ length: 13 }, (_, gameId) => count(0, { gameId }));
  expect(asked.map((counting) => counting === undefined)).toEqual([...Array(11).fill(false), true, true]);
  expect(count(0, { gameId: 99, tenantId: 2 })).toBeDefined();
});

it('is waited for until it takes too long, or refused at once', async () => {
  const what = 'The sizes';
  const counted = { players: 1 };
  expect(await requireCount(Promise.resolve(counted), { what, maxWaitMs: 60_000 })).toBe(counted);
  const busy = { code: 'busy', headers: { 'retry-after': '5' } };
  await expect(requireCount(new Promise<object>(() => {}), { what, maxWaitMs: 1 })).rejects.toMatchObject({
    ...busy,
    message: 'The sizes are still being counted. Try again in a few seconds.',
  });
  await expect(requireCount(undefined, { what })).rejects.toMatchObject(busy);
});
