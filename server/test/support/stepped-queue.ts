import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSliceQueue, type SliceQueue } from '../../src/platform/lib/slice-queue.js';

/** A slice queue whose slices a test runs one by one. Its clock stands still but for `tick`. */
export type SteppedQueue = {
  queue: SliceQueue;
  /** The keys of all work so far. */
  keys: (number | string)[];
  pauses: number[];
  tick(): void;
  /** False if nothing is left to do. */
  runSlice(): Promise<boolean>;
};

/** With `msPerReading`, its clock also goes on with each reading, and so with each step. */
export function createSteppedQueue(msPerReading = 0): SteppedQueue {
  let now = 0;
  let next: (() => void) | undefined;
  const pauses: number[] = [];
  const keys: (number | string)[] = [];
  const inner = createSliceQueue({
    stopwatch: () => {
      now += msPerReading;
      return now;
    },
    pause: (ms, callback) => {
      pauses.push(ms);
      next = callback;
    },
  });
  return {
    queue: {
      run(key, steps) {
        keys.push(key);
        return inner.run(key, steps);
      },
    },
    keys,
    pauses,
    tick: () => {
      now++;
    },
    async runSlice() {
      const callback = next;
      next = undefined;
      callback?.();
      await nextTurn();
      return next !== undefined;
    },
  };
}
