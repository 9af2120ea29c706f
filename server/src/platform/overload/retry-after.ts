import { RETRY_AFTER } from './limits.js';

export type RetryAfterOptions = {
  /** The pace at which clients that wait should come back. */
  perSecond: number;
  /** Clients are told half of it to one and a half times as much. */
  maxMeanSeconds: number;
  /** Milliseconds from any origin, monotonic as the default is. */
  now?: () => number;
  random?: () => number;
};

/**
 * When refused clients should come back: at random, so that those that are refused together do not come back together, and
 * the later the more of them wait. Thousands of clients that come back every two seconds would keep a worker busy with
 * refusing them.
 *
 * The clients that wait are those that were told to and whose time is not over. They should come back at a pace that a worker
 * can afford to refuse: a refusal takes 0.1 to 0.2 ms of a busy one. Clients that come back sooner than told are counted
 * again, and are told to wait longer.
 */
export class RetryAfter {
  readonly #perSecond: number;
  readonly #maxMeanSeconds: number;
  readonly #now: () => number;
  readonly #random: () => number;
  /** How many clients come back in each second, until the last one that a client can be told. A ring: the index is the second modulo its length. */
  readonly #due: number[];
  #waiting = 0;
  /** The second until which `#due` has been cleared. */
  #second = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, maxMeanSeconds, now, random }: RetryAfterOptions) {
    this.#perSecond = perSecond;
    this.#maxMeanSeconds = maxMeanSeconds;
    this.#now = now ?? (() => performance.now());
    this.#random = random ?? Math.random;
    this.#due = Array(Math.round(1.5 * maxMeanSeconds) + 1).fill(0);
  }

  /** Counts one refusal; the whole seconds after which its client should come back. */
  next(): number {
    const second = Math.floor(this.#now() / 1_000);
    if (second > this.#second) this.#forgetUntil(second);
    const mean = Math.max(
      RETRY_AFTER.minMeanSeconds,
      Math.min(this.#maxMeanSeconds, this.#waiting / this.#perSecond),
    );
    const least = Math.round(mean / 2);
    const most = Math.round(1.5 * mean);
    const seconds = least + Math.floor(this.#random() * (most - least + 1));
    this.#add(second + seconds, 1);
    return seconds;
  }

  /** Those whose time is over wait no longer: they have come back, or have gone. */
  #forgetUntil(second: number): void {
    const from = Math.max(this.#second + 1, second - this.#due.length + 1);
    for (let past = from; past <= second; past++) this.#add(past, -this.#dueIn(past));
    this.#second = second;
  }

  #dueIn(second: number): number {
    return this.#due[second % this.#due.length] ?? 0;
  }

  #add(second: number, clients: number): void {
    this.#due[second % this.#due.length] = this.#dueIn(second) + clients;
    this.#waiting += clients;
  }
}
