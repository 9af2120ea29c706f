import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairSemaphore } from '../../../src/platform/lib/fair-semaphore.js';

/** Work that ends when the test says so. */
function manual() {
  let finish: () => void = () => {};
  let started = false;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = async (): Promise<void> => {
    started = true;
    await done;
  };
  return { work, finish: () => finish(), hasStarted: () => started };
}

const LIMITS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 1 };
const started = (works: readonly ReturnType<typeof manual>[]) => works.map(({ hasStarted }) => hasStarted());

it('lets a few work at once, the next wait and the others go', async () => {
  const turns = createFairSemaphore({ ...LIMITS, maxConcurrentPerKey: 2 }).of('a');
  const works = [manual(), manual(), manual()] as const;
  const [a, b, c] = works;
  const taken = works.map(({ work }) => turns.take(work));
  expect(taken.every((turn) => turn !== undefined)).toBe(true);
  expect(turns.take(async () => {})).toBeUndefined();
  expect(started(works)).toEqual([true, true, false]);
  a.finish();
  await taken[0];
  await nextTurn();
  expect(c.hasStarted()).toBe(true);
  b.finish();
  c.finish();
  await Promise.all(taken);
  expect(await turns.take(async () => 7)).toBe(7);
});

it('gives the place of a failed one to the next', async () => {
  const turns = createFairSemaphore({ ...LIMITS, maxConcurrent: 1 }).of('a');
  const failing = turns.take(async () => {
    throw new Error('no');
  });
  const next = turns.take(async () => 'next');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
});

it('one key neither takes the places of others nor where they wait', async () => {
  const turns = createFairSemaphore(LIMITS);
  const greedy = [manual(), manual()] as const;
  const taken = greedy.map(({ work }) => turns.of('greedy').take(work));
  expect(turns.of('greedy').take(async () => {})).toBeUndefined();
  expect(started(greedy)).toEqual([true, false]);
  expect(await turns.of('other').take(async () => 'at once')).toBe('at once');
  for (const { finish } of greedy) finish();
  await Promise.all(taken);
});

it('a free place goes to the key that has had none for the longest time', async () => {
  const turns = createFairSemaphore({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaitingPerKey: 9 });
  const order: string[] = [];
  const take = (key: string, name: string) =>
    turns.of(key).take(async () => {
      order.push(name);
    });
  const first = manual();
  await Promise.all([
    turns.of('a').take(first.work),
    ...['a1', 'a2', 'a3'].map((name) => take('a', name)),
    ...['b1', 'b2'].map((name) => take('b', name)),
    take('c', 'c1'),
    first.finish(),
  ]);
  expect(order).toEqual(['b1', 'c1', 'a1', 'b2', 'a2', 'a3']);
});

it('who leaves while they wait gives up the place', async () => {
  const turns = createFairSemaphore({ ...LIMITS, maxConcurrent: 1 });
  const first = manual();
  const running = turns.of('a').take(first.work);
  const leaving = new AbortController();
  const gone = manual();
  const left = turns.of('a', leaving.signal).take(gone.work);
  expect(turns.of('a').take(async () => {})).toBeUndefined();
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  const stays = turns.of('a').take(async () => 'stays');
  first.finish();
  await running;
  expect(await stays).toBe('stays');
  expect(gone.hasStarted()).toBe(false);

  // Whoever has left before they come does not come at all, unless there is a place.
  const second = manual();
  const busy = turns.of('b').take(second.work);
  await expect(turns.of('a', leaving.signal).take(gone.work)).rejects.toThrow('gone');
  second.finish();
  await busy;
  // Once it has begun it is for the work to end.
  expect(await turns.of('a', leaving.signal).take(async () => 'done')).toBe('done');
});
