import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSliceQueue } from '../../../src/platform/lib/slice-queue.js';
import { runSteps, type Steps } from '../../../src/platform/lib/steps.js';
import { createSteppedQueue } from '../../support/stepped-queue.js';

/** Each step takes a millisecond. */
function* stepsOf(name: string, count: number, log: string[], tick: () => void): Steps<string> {
  for (let n = 0; n < count; n++) {
    log.push(name);
    tick();
    yield;
  }
  return name;
}

describe('a slice queue', () => {
  it('gives the result of the steps, after more slices for more steps', async () => {
    const slicesFor = async (count: number) => {
      const { queue, tick, runSlice } = createSteppedQueue();
      const result = queue.run('a', stepsOf('a', count, [], tick));
      let slices = 1;
      while (await runSlice()) slices++;
      expect(await result).toBe('a');
      return slices;
    };
    expect(await slicesFor(1)).toBe(1);
    expect(await slicesFor(10)).toBe(6);
    expect(await slicesFor(100)).toBe(51);
  });

  it('pauses for as long as the slice took', async () => {
    const { queue, pauses, tick, runSlice } = createSteppedQueue();
    void queue.run('a', stepsOf('a', 5, [], tick));
    while (await runSlice());
    expect(pauses).toEqual([0, 2, 2]);
  });

  it('lets the keys take turns, and the work of one key run in order', async () => {
    const { queue, tick, runSlice } = createSteppedQueue();
    const log: string[] = [];
    const done: string[] = [];
    for (const [key, name, count] of [
      ['a', 'a1', 6],
      ['a', 'a2', 6],
      ['b', 'b1', 4],
    ] as const) {
      void queue.run(key, stepsOf(name, count, log, tick)).then((result) => done.push(result));
    }
    while (await runSlice());
    expect(log.slice(0, 10).join(' ')).toBe('a1 a1 b1 b1 a1 a1 b1 b1 a1 a1');
    expect(done).toEqual(['b1', 'a1', 'a2']);
  });

  it('goes on after work that fails', async () => {
    const queue = createSliceQueue();
    function* failingSteps(): Steps<string> {
      yield;
      throw new Error('no');
    }
    const failing = queue.run('a', failingSteps());
    const next = queue.run(
      'a',
      stepsOf('yes', 1, [], () => {}),
    );
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('lets other work run between two slices', async () => {
    const queue = createSliceQueue();
    let isOver = false;
    let turns = 0;
    function* untilOtherWork(): Steps<number> {
      while (turns === 0) yield;
      return turns;
    }
    const running = queue.run('a', untilOtherWork()).finally(() => {
      isOver = true;
    });
    await nextTurn();
    expect(isOver).toBe(false);
    turns++;
    expect(await running).toBe(1);
  });
});

it('runs steps without a break', () => {
  const log: string[] = [];
  expect(runSteps(stepsOf('a', 3, log, () => {}))).toBe('a');
  expect(log).toHaveLength(3);
});
