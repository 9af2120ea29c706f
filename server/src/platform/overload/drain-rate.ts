import { RATE } from './limits.js';

/**
 * How fast work is finished when there is more of it than can be done at once. At other times the rate would say how much was
 * asked for, so a measurement counts only if something had to wait in it.
 *
 *             begin                      a window of work has been measured
 *   idle ──────────────► measuring ──────────────────────────────────────────► saturated? a new rate : the old one
 *    ▲                      │ nothing runs                                                │
 *    └──────────────────────┴─────────────────────────────────────────────────────────────┘
 */
export class DrainRate {
  readonly #now: () => number;
  /** The rate may also rise to this at once, after a stall that has left nearly nothing of it. */
  readonly #initialPerMs: number;
  #perMs: number;
  #running = 0;
  /** Undefined while idle. */
  #workingSince: number | undefined;
  /** Of this window, before `workingSince`. */
  #workedMs = 0;
  #finished = 0;
  #isSaturated = false;

  /** `initialPerMs` counts until the first measurement. The clock gives milliseconds and must be monotonic. */
  constructor(initialPerMs: number, now: () => number) {
    this.#initialPerMs = initialPerMs;
    this.#perMs = initialPerMs;
    this.#now = now;
  }

  /** Weight per millisecond. */
  get perMs(): number {
    const worked = this.#worked();
    if (!this.#isSaturated || worked <= RATE.windowMs) return this.#perMs;
    // Nothing has been finished for longer than a window: the rate if all running work were finished now.
    return Math.min(this.#perMs, (this.#finished + this.#running) / worked);
  }

  begin(weight: number): void {
    this.#running += weight;
    this.#workingSince ??= this.#now();
  }

  /** Something has to wait. */
  saturate(): void {
    this.#isSaturated = true;
  }

  finish(weight: number): void {
    this.#running -= weight;
    this.#finished += weight;
    const worked = this.#worked();
    if (worked >= RATE.windowMs) this.#endWindow(worked);
    if (this.#running > 0) return;
    this.#workedMs = this.#worked();
    this.#workingSince = undefined;
  }

  #endWindow(worked: number): void {
    if (this.#isSaturated) {
      const highest = Math.max(RATE.maxGrowth * this.#perMs, this.#initialPerMs);
      this.#perMs += RATE.smoothing * (Math.min(this.#finished / worked, highest) - this.#perMs);
    }
    this.#finished = 0;
    this.#workedMs = 0;
    this.#isSaturated = false;
    this.#workingSince = this.#now();
  }

  #worked(): number {
    return this.#workingSince === undefined
      ? this.#workedMs
      : this.#workedMs + this.#now() - this.#workingSince;
  }
}
