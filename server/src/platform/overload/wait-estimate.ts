import { DrainRate } from './drain-rate.js';

export type WaitEstimateOptions = {
  /** Longest estimated time until everything in front of a request is finished. */
  maxWaitMs: number;
  /** The part of that time that a request spends before it comes here. Default 0. */
  overheadMs?: () => number;
  /** Weight per millisecond that is assumed before the first measurement. */
  initialRatePerMs: number;
};

/** How much work may be in front of a request: what can be finished in the time that the request may wait. */
export class WaitEstimate {
  readonly rate: DrainRate;
  readonly #options: WaitEstimateOptions;

  constructor(options: WaitEstimateOptions, now: () => number) {
    this.#options = options;
    this.rate = new DrainRate(options.initialRatePerMs, now);
  }

  get finishableWeight(): number {
    const { maxWaitMs, overheadMs } = this.#options;
    return this.rate.perMs * Math.max(0, maxWaitMs - (overheadMs?.() ?? 0));
  }
}
