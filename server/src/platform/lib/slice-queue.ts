import type { Steps } from './steps.js';

export type SliceQueue = {
  /** The result of all steps. Work of one key runs in the order in which it came. */
  run<T>(key: number | string, steps: Steps<T | Promise<T>>): Promise<T>;
};

export type SliceQueueOptions = Readonly<{
  /** Milliseconds since any instant. */
  stopwatch?: () => number;
  /** Calls back after so many milliseconds, in another turn of the event loop. */
  pause?: (ms: number, callback: () => void) => void;
}>;

/** How long one slice may take, unless a single step takes longer: requests that arrive meanwhile wait. */
const SLICE_MS = 2;

/** Does the next step; true if it was the last. */
type Job = () => boolean;

/**
 * Runs long work in slices, so that the process goes on serving requests meanwhile.
 * - A turn of the event loop has one slice at most, however much work waits.
 * - After a slice the queue pauses for as long as the slice took. A request needs several turns, and would wait for a slice in each of
 *   them; so it waits in about half of them.
 * - The keys take turns, one slice each: no key waits for all the work of another.
 */
export function createSliceQueue({
  stopwatch = () => performance.now(),
  pause = pauseFor,
}: SliceQueueOptions = {}): SliceQueue {
  /** The jobs of each key, first in, first out. The key whose turn it is comes first. */
  const lines = new Map<number | string, Job[]>();

  const runSlice = () => {
    const began = stopwatch();
    for (const [key, jobs] of lines) {
      const [job] = jobs;
      if (job === undefined || runUntil(job, stopwatch, began + SLICE_MS)) jobs.shift();
      lines.delete(key);
      if (jobs.length > 0) lines.set(key, jobs);
      break;
    }
    if (lines.size > 0) pause(stopwatch() - began, runSlice);
  };

  return {
    run: <T>(key: number | string, steps: Steps<T | Promise<T>>) =>
      new Promise<T>((resolve, reject) => {
        const job = () => {
          try {
            const step = steps.next();
            if (step.done) resolve(step.value);
            return step.done === true;
          } catch (error) {
            reject(error);
            return true;
          }
        };
        if (lines.size === 0) pause(0, runSlice);
        const jobs = lines.get(key);
        if (jobs === undefined) lines.set(key, [job]);
        else jobs.push(job);
      }),
  };
}

/** True if the job is done. */
function runUntil(job: Job, stopwatch: () => number, until: number): boolean {
  while (!job()) if (stopwatch() >= until) return false;
  return true;
}

function pauseFor(ms: number, callback: () => void): void {
  // A timer takes a millisecond at least, which short work need not wait.
  if (ms < 1) setImmediate(callback);
  else setTimeout(callback, ms);
}
