import { OverloadedError } from './overloaded-error.js';

/**
 * Bounds how much is worked on at once. What finds no room waits in line, in whatever form it came:
 *
 *   pass ──there is room──► work ──► done: the first of the line are let in
 *     └── else ──► line ────────▲
 *
 * What is inside may be held up by something that is none of the others' business, such as a lock. So whenever nothing has
 * moved for `patienceMs`, one more is let in.
 */
export type Gate = {
  /** Settles as the work does. Rejects with OverloadedError, and without having begun, when too much is in line. */
  pass<T>(weight: number, work: () => Promise<T>): Promise<T>;
};

export type GateOptions = {
  /** Work begins while what is inside weighs less than this. So a single piece of work may weigh more. */
  room: number;
  /** Largest weight of the line. */
  maxWaiting: number;
  patienceMs: number;
};

type Place = { weight: number; open: () => void };

export function createGate({ room, maxWaiting, patienceMs }: GateOptions): Gate {
  const line: Place[] = [];
  let inside = 0;
  let waiting = 0;
  let patience: NodeJS.Timeout | undefined;

  const letIn = (): void => {
    const place = line.shift();
    if (place === undefined) return;
    waiting -= place.weight;
    // Here and not when it goes on: nobody can slip in between.
    inside += place.weight;
    place.open();
  };

  const waitAnew = (): void => {
    clearTimeout(patience);
    patience = undefined;
    if (line.length > 0) patience = setTimeout(runOut, patienceMs);
  };

  const runOut = (): void => {
    letIn();
    waitAnew();
  };

  const leave = (weight: number): void => {
    inside -= weight;
    if (line.length === 0) return;
    while (line.length > 0 && inside < room) letIn();
    waitAnew();
  };

  const queueUp = (weight: number): Promise<void> =>
    new Promise((open) => {
      waiting += weight;
      line.push({ weight, open });
      if (patience === undefined) waitAnew();
    });

  return {
    async pass(weight, work) {
      // Then nobody is in line: whoever leaves lets them in until there is no more room.
      if (inside < room) inside += weight;
      else if (waiting + weight > maxWaiting) throw new OverloadedError();
      else await queueUp(weight);
      try {
        return await work();
      } finally {
        leave(weight);
      }
    },
  };
}
