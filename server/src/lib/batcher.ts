import { OverloadedError } from './overloaded-error.js';

/**
 * Group commit and coalesced reads: what arrives together, or while earlier groups are running, travels as one.
 *
 *              submit                 end of turn, if a place is free              run settles
 *   (nothing) ────────► open group ──────────────────────────────────► running ───────────────► settled
 *                        │    ▲ submit joins, while the weight fits      │  ▲
 *                        │    └─┐                                        │  │ splitOn(error) and more than
 *                        ▼ full │                                        ▼  │ one item: each half in turn
 *                       next open group (first in, first out)          halves, in the same place
 *
 * Groups are formed on arrival, so nothing is copied when one starts: its array of items is what `run` gets.
 *
 * Why setImmediate and not a timer or queueMicrotask: Node reads all sockets that are ready in one poll phase,
 * each in a callback of its own, and runs the microtasks after each. A microtask would therefore start with the
 * first request alone. setImmediate runs right after the poll phase, when every request that was already there
 * has been submitted, and waits for nothing else: an idle service pays microseconds, no timer's millisecond.
 * Measured with 64 busy connections: about 30 requests a group, and 1.0 with queueMicrotask. For the same reason
 * a place that becomes free is taken at the end of that turn.
 */

export type Batcher<I, O> = {
  /** Rejects with OverloadedError at once when too much is waiting, else settles as `run` does for this item. */
  submit(item: I): Promise<O>;
  /** Weight of all that has been submitted and has not started. */
  readonly waiting: number;
  /** Resolves when nothing waits and nothing runs. For shutdown: stop submitting first. */
  idle(): Promise<void>;
};

export type BatcherOptions<I, O> = {
  /**
   * One result per item, in order. With `splitOn`, a failed run must have changed nothing (a transaction).
   * The array must not be changed.
   */
  run: (items: I[]) => Promise<O[]>;
  /** Largest weight of a group. A heavier item travels alone. */
  maxItems: number;
  /** Default 1, and counted as 1 if it says less: what weighs nothing could pile up without bound. */
  weigh?: (item: I) => number;
  /** Groups running at once. What arrives meanwhile forms the next group. */
  maxInFlight: number;
  /**
   * While a group is running, the next one starts when it is full, or when this much time has passed since the last start:
   * fewer and larger groups, for work that costs much however few items it is done for. Without it, as soon as there is a
   * place.
   */
  fillForMs?: number;
  /**
   * When all groups have ended and the last one had this many items or more, the next one waits this long for others: those
   * who were just answered often come back at once. It starts sooner when most of them have.
   */
  linger?: { ms: number; after: number };
  /** Largest waiting weight. Choose it above the heaviest item: one heavier than this is never let in. */
  maxWaiting: number;
  /** True if one item may be to blame for the whole group: then halves are tried, until it stands alone. */
  splitOn?: (error: unknown) => boolean;
};

/** Of those who waited or were answered. Waiting for the last ones leaves the machine idle: measured, 3 to 10% of it. */
const MOST = 0.7;

/** Parallel arrays rather than an object per item: this is the hottest path of all reads. */
type Group<I, O> = {
  items: I[];
  resolves: ((output: O) => void)[];
  rejects: ((error: unknown) => void)[];
  weight: number;
  next: Group<I, O> | undefined;
};

export function createBatcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  const { run, maxItems, weigh, maxInFlight, fillForMs = 0, linger, maxWaiting, splitOn } = options;
  for (const [name, value] of Object.entries({ maxItems, maxInFlight, maxWaiting })) {
    if (!(value >= 1)) throw new RangeError(`${name} must be at least 1.`);
  }

  let first: Group<I, O> | undefined;
  let last: Group<I, O> | undefined;
  let waiting = 0;
  let inFlight = 0;
  let scheduled = false;
  let lastStart = 0;
  /** What is worth waiting for, and until when. */
  let expected = 0;
  let lingersUntil = 0;
  let patience: NodeJS.Timeout | undefined;
  let idleWaiters: (() => void)[] = [];

  function submit(item: I): Promise<O> {
    const weight = weigh === undefined ? 1 : Math.max(1, weigh(item));
    // Asked this way round, a weight that is not a number is refused, too, instead of spoiling the sum for good.
    if (!(waiting + weight <= maxWaiting)) return Promise.reject(new OverloadedError());
    waiting += weight;
    const group = groupFor(weight);
    group.items.push(item);
    schedule();
    return new Promise((resolve, reject) => {
      group.resolves.push(resolve);
      group.rejects.push(reject);
    });
  }

  function groupFor(weight: number): Group<I, O> {
    if (last !== undefined && last.weight + weight <= maxItems) {
      last.weight += weight;
      return last;
    }
    const group: Group<I, O> = { items: [], resolves: [], rejects: [], weight, next: undefined };
    if (last === undefined) first = group;
    else last.next = group;
    last = group;
    return group;
  }

  function schedule(): void {
    if (scheduled || !mayStart(first)) return;
    scheduled = true;
    setImmediate(startGroups);
  }

  function mayStart(group: Group<I, O> | undefined): group is Group<I, O> {
    if (group === undefined || inFlight >= maxInFlight) return false;
    const isFull = group.next !== undefined || group.weight >= maxItems;
    if (isFull) return true;
    if (inFlight > 0) return fillForMs === 0 || performance.now() - lastStart >= fillForMs;
    return waiting >= expected || performance.now() >= lingersUntil;
  }

  function startGroups(): void {
    scheduled = false;
    while (mayStart(first)) {
      const group = first;
      first = group.next;
      if (first === undefined) last = undefined;
      waiting -= group.weight;
      inFlight++;
      if (fillForMs > 0) {
        lastStart = performance.now();
        lookAgainIn(fillForMs);
      }
      settle(group.items, group.resolves, group.rejects).then(() => finishGroup(group));
    }
  }

  function lookAgainIn(ms: number): void {
    clearTimeout(patience);
    // A little later than asked for: a timer may fire a fraction of a millisecond too early.
    patience = setTimeout(schedule, ms + 1);
  }

  function finishGroup({ items, weight }: Group<I, O>): void {
    inFlight--;
    if (inFlight === 0) expectMore(items.length, weight);
    schedule();
    if (inFlight > 0 || first !== undefined) return;
    const woken = idleWaiters;
    idleWaiters = [];
    for (const wake of woken) wake();
  }

  function expectMore(answered: number, weight: number): void {
    clearTimeout(patience);
    expected = 0;
    if (linger === undefined || answered < linger.after) return;
    expected = MOST * (waiting + weight);
    lingersUntil = performance.now() + linger.ms;
    lookAgainIn(linger.ms);
  }

  /** Settles every promise of a group or part of one. Never rejects. */
  async function settle(
    items: I[],
    resolves: ((output: O) => void)[],
    rejects: ((error: unknown) => void)[],
  ): Promise<void> {
    let outputs: O[];
    try {
      outputs = await run(items);
    } catch (error) {
      if (items.length === 1 || !mayBeSplit(error)) return rejectAll(rejects, error);
      const half = items.length >> 1;
      // One after the other, in the place of the whole: so the bound on running groups holds, and the order.
      await settle(items.slice(0, half), resolves.slice(0, half), rejects.slice(0, half));
      return settle(items.slice(half), resolves.slice(half), rejects.slice(half));
    }
    // Not split: the run has had its effect, and the fault is not an item's.
    if (!Array.isArray(outputs) || outputs.length !== resolves.length) {
      return rejectAll(rejects, new Error('A coalesced run must give one result per item.'));
    }
    for (let i = 0; i < outputs.length; i++) resolves[i]?.(outputs[i] as O);
  }

  function mayBeSplit(error: unknown): boolean {
    try {
      return splitOn?.(error) ?? false;
    } catch {
      return false;
    }
  }

  return {
    submit,
    get waiting() {
      return waiting;
    },
    idle() {
      if (inFlight === 0 && first === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        idleWaiters.push(resolve);
      });
    },
  };
}

function rejectAll(rejects: ((error: unknown) => void)[], error: unknown): void {
  for (const reject of rejects) reject(error);
}
