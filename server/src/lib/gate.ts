import { OverloadedError } from './overloaded-error.js';

/**
 * Bounds how much is worked on at once. What finds no room waits in line, in whatever form it came:
 *
 *   pass ──there is room──► work ──► done: the first of the line are let in
 *     └── else ──► line ────────▲
 *
 * What is inside may be held up by something that is none of the others' business, such as a lock. So when nothing has moved
 * for `patienceMs`, all that is inside no longer counts.
 */
export type Gate = {
  /** Settles as the work does. Rejects with OverloadedError, and without having begun, when too much is in line. */
  pass<T>(weight: number, work: () => Promise<T>): Promise<T>;
  /** Weight of the line. */
  readonly waiting: number;
};

export type GateOptions = {
  /** Work begins while what is inside weighs less than this. So a single piece of work may weigh more. */
  room: number;
  /** Largest weight of the line. */
  maxWaiting: number;
  patienceMs: number;
};

type Place = { weight: number; open: (era: number) => void };

export function createGate({ room, maxWaiting, patienceMs }: GateOptions): Gate {
  const line: Place[] = [];
  let inside = 0;
  let waiting = 0;
  let patience: NodeJS.Timeout | undefined;
  /** Ends when patience does. Whoever came in before is not counted out again. */
  let era = 0;

  const letIn = (): void => {
    while (inside < room) {
      const place = line.shift();
      if (place === undefined) break;
      waiting -= place.weight;
      // Here and not when it goes on: nobody can slip in between.
      inside += place.weight;
      place.open(era);
    }
    waitAnew();
  };

  const waitAnew = (): void => {
    clearTimeout(patience);
    patience = line.length > 0 ? setTimeout(endEra, patienceMs) : undefined;
  };

  const endEra = (): void => {
    era++;
    inside = 0;
    letIn();
  };

  const leave = (weight: number, entered: number): void => {
    if (entered === era) inside -= weight;
    if (line.length > 0) letIn();
  };

  const queueUp = (weight: number): Promise<number> =>
    new Promise((open) => {
      waiting += weight;
      line.push({ weight, open });
      if (patience === undefined) waitAnew();
    });

  const enter = (weight: number): number | Promise<number> => {
    // With room, nobody is in line: whoever leaves lets them in until there is none.
    if (inside >= room) {
      if (waiting + weight > maxWaiting) throw new OverloadedError();
      return queueUp(weight);
    }
    inside += weight;
    return era;
  };

  return {
    get waiting() {
      return waiting;
    },
    async pass(weight, work) {
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
