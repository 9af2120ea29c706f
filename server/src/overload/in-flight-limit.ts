import { DrainRate } from './drain-rate.js';

/**
 * Refuses requests while those in flight will take too long: their number divided by the rate at which requests were finished
 * lately. For work that begins at once and has no line; where there is one, see admission-queue.ts.
 *
 *   few in flight: all may enter ──minInFlight──► many: enter while inFlight / rate ≤ maxWaitMs
 *                                ◄──────────────
 */
export class InFlightLimit {
  readonly #options: InFlightOptions;
  readonly #rate: DrainRate;
  #inFlight = 0;

  constructor(options: InFlightOptions) {
    this.#options = options;
    this.#rate = new DrainRate(options.initialRatePerMs, options.now ?? (() => performance.now()));
  }

  /** False: refuse the request. True: call `leave` when its response was sent, or the client is gone. */
  tryEnter(): boolean {
    const { minInFlight, maxWaitMs, overheadMs } = this.#options;
    if (this.#inFlight >= minInFlight) {
      const leftMs = Math.max(0, maxWaitMs - (overheadMs?.() ?? 0));
      if (this.#inFlight > this.#rate.perMs * leftMs) return false;
    }
    this.#inFlight++;
    this.#rate.begin(1);
    if (this.#inFlight >= minInFlight) this.#rate.saturate();
    return true;
  }

  leave(): void {
    this.#rate.finish(1);
    this.#inFlight--;
  }
}

export type InFlightOptions = {
  /** This many may always be in flight: too few to measure the process by, and too few to slow each other down. */
  minInFlight: number;
  maxWaitMs: number;
  /** The part of the wait that a request spends before it comes here. Default 0. */
  overheadMs?: () => number;
  /** Requests per millisecond that are assumed before the first measurement. */
  initialRatePerMs: number;
  /** Milliseconds from any origin, monotonic as the default is. */
  now?: () => number;
};
