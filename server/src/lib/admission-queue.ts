import { OverloadedError } from './overloaded-error.js';

/**
 * Bounds how much is worked on at once. What finds no capacity left waits in line, in whatever form it came:
 *
 *   run ──capacity left──► work ──► done: the first of the line are let in
 *     └── else ──► line ────────▲
 *
 * What is inside may be held up by something that is none of the others' business, such as a lock. So when nothing has moved
 * for `stallTimeoutMs`, all that is inside no longer counts.
 */
export type AdmissionQueue = {
  /** Settles as the work does. Rejects with OverloadedError, and without having begun, when too much is in line. */
  run<T>(weight: number, work: () => Promise<T>): Promise<T>;
  /** Weight of the line. */
  readonly waiting: number;
};

export type AdmissionQueueOptions = {
  /** Work begins while what is inside weighs less than this. So a single piece of work may weigh more. */
  capacity: number;
  /** Largest weight of the line. */
  maxWaiting: number;
  stallTimeoutMs: number;
};

type Place = { weight: number; open: (generation: number) => void };

export function createAdmissionQueue({
  capacity,
  maxWaiting,
  stallTimeoutMs,
}: AdmissionQueueOptions): AdmissionQueue {
  const line: Place[] = [];
  let inside = 0;
  let waiting = 0;
  let stallTimeout: NodeJS.Timeout | undefined;
  /** Ends with the stall timeout. Whoever came in before is not counted out again. */
  let generation = 0;

  const letIn = (): void => {
    while (inside < capacity) {
      const place = line.shift();
      if (place === undefined) break;
      waiting -= place.weight;
      // Here and not when it goes on: nobody can slip in between.
      inside += place.weight;
      place.open(generation);
    }
    restartStallTimeout();
  };

  const restartStallTimeout = (): void => {
    clearTimeout(stallTimeout);
    stallTimeout = line.length > 0 ? setTimeout(endGeneration, stallTimeoutMs) : undefined;
  };

  const endGeneration = (): void => {
    generation++;
    inside = 0;
    letIn();
  };

  const leave = (weight: number, entered: number): void => {
    if (entered === generation) inside -= weight;
    if (line.length > 0) letIn();
  };

  const queueUp = (weight: number): Promise<number> =>
    new Promise((open) => {
      waiting += weight;
      line.push({ weight, open });
      if (stallTimeout === undefined) restartStallTimeout();
    });

  const enter = (weight: number): number | Promise<number> => {
    // With capacity left, nobody is in line: whoever leaves lets them in until there is none.
    if (inside >= capacity) {
      if (waiting + weight > maxWaiting) throw new OverloadedError();
      return queueUp(weight);
    }
    inside += weight;
    return generation;
  };

  return {
    get waiting() {
      return waiting;
    },
    async run(weight, work) {
      const entry = enter(weight);
      const entered = typeof entry === 'number' ? entry : await entry;
      try {
        return await work();
      } finally {
        leave(weight, entered);
      }
    },
  };
}
