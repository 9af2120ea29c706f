import { expect, it } from 'vitest';
import { createTurns } from '../../src/features/explain/turns.js';

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

it('lets a few work at once, the next wait and the others go', async () => {
  const turns = createTurns({ atOnce: 2, maxWaiting: 1 });
  const works = [manual(), manual(), manual()] as const;
  const [a, b, c] = works;
  const taken = works.map(({ work }) => turns.take(work));
  expect(taken.every((turn) => turn !== undefined)).toBe(true);
  expect(turns.take(async () => {})).toBeUndefined();
  expect(works.map(({ hasStarted }) => hasStarted())).toEqual([true, true, false]);
  a.finish();
  await taken[0];
  await Promise.resolve();
  expect(c.hasStarted()).toBe(true);
  b.finish();
  c.finish();
  await Promise.all(taken);
  expect(await turns.take(async () => 7)).toBe(7);
});

it('gives the place of a failed one to the next', async () => {
  const turns = createTurns({ atOnce: 1, maxWaiting: 1 });
  const failing = turns.take(async () => {
    throw new Error('no');
  });
  const next = turns.take(async () => 'next');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
});
