import { WaitEstimate, type WaitEstimateOptions } from './wait-estimate.js';

/**
 * Refuses requests while those in flight will take too long: their number divided by the rate at which requests were finished
 * lately. For work that begins at once and has no queue; where there is one, see admission-queue.ts.
 *
 *   few in flight: all may enter ──minInFlight──► many: enter while they can be finished in the time to wait
 *                                ◄──────────────
 */
export class InFlightLimit {
  readonly #minInFlight: number;
  readonly #estimate: WaitEstimate;
  #inFlight = 0;

  constructor({ minInFlight, now = () => performance.now(), ...options }: InFlightOptions) {
    this.#minInFlight = minInFlight;
    this.#estimate = new WaitEstimate(options, now);
  }

  /** False: refuse the request. True: call `leave` when its response was sent, or the client is gone. */
  tryEnter(): boolean {
    if (this.#inFlight >= this.#minInFlight && this.#inFlight > this.#estimate.finishableWeight) return false;
    this.#inFlight++;
    this.#estimate.rate.begin(1);
    if (this.#inFlight >= this.#minInFlight) this.#estimate.rate.saturate();
    return true;
  }

  leave(): void {
    this.#estimate.rate.finish(1);
    this.#inFlight--;
  }
}

/** Every request weighs 1. */
export type InFlightOptions = WaitEstimateOptions & {
  /** This many may always be in flight: too few to measure the process by, and too few to slow each other down. */
  minInFlight: number;
  /** Milliseconds from any origin, monotonic as the default is. */
  now?: () => number;
};
