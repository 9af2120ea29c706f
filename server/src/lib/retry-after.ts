/** Usual mean of what clients are told: 1, 2 or 3 seconds. */
const MIN_MEAN_SECONDS = 2;
/** At most 9 seconds: a player who waits for longer has left. */
const MAX_MEAN_SECONDS = 6;
/** A refusal takes 0.1 to 0.2 ms of a busy worker: this many take a twentieth of its time. */
const REFUSALS_PER_SECOND = 400;
const WINDOW_MS = 1_000;
/** Refusals further apart belong to different overloads. */
const FORGOTTEN_AFTER_MS = 10_000;

/**
 * When refused clients should come back: at random, so that those that are refused together do not come back together, and the later the
 * more of them there are. Thousands of clients that come back every two seconds would keep a worker busy with refusing them.
 *
 * The mean is set once a second so that the clients of the last second, coming back at that pace, are as many refusals as
 * a worker can afford.
 */
export class RetryAfter {
  readonly #now: () => number;
  readonly #random: () => number;
  #meanSeconds = MIN_MEAN_SECONDS;
  #windowSince = Number.NEGATIVE_INFINITY;
  #refused = 0;

  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  /** Counts one refusal; the whole seconds after which its client should come back. */
  next(): number {
    const elapsedMs = this.#now() - this.#windowSince;
    if (elapsedMs >= WINDOW_MS) this.#endWindow(elapsedMs);
    this.#refused++;
    const least = Math.round(this.#meanSeconds / 2);
    const most = Math.round(1.5 * this.#meanSeconds);
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  #endWindow(elapsedMs: number): void {
    const perSecond = (1_000 * this.#refused) / elapsedMs;
    // A burst of one second says little about the clients that there are, so the mean at most doubles.
    const factor = Math.min(2, Math.max(0.5, perSecond / REFUSALS_PER_SECOND));
    const mean = elapsedMs > FORGOTTEN_AFTER_MS ? MIN_MEAN_SECONDS : this.#meanSeconds * factor;
    this.#meanSeconds = Math.min(MAX_MEAN_SECONDS, Math.max(MIN_MEAN_SECONDS, mean));
    this.#refused = 0;
    this.#windowSince = this.#now();
  }
}
