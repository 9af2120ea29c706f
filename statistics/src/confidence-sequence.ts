import type { Effect } from './effect.js';
import { around, type Interval } from './interval.js';
import { logMixture, mixtureBound, mixtureRho } from './normal-mixture.js';

/**
 * Asymptotic confidence sequences (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, arXiv 2103.06476, equation 9 in version 7): intervals that may be
 * looked at as often as one likes. With probability 1 − alpha the interval covers the truth at every look, from the first on at which
 * the estimate is about normal, so one may stop when one likes. An interval is half as wide again as one for a single look.
 */
export type SequenceOptions = Readonly<{
  /** The players of both arms for whom the interval is tightest. Must not depend on the results. */
  tunedTo: number;
  alpha?: number;
}>;

const ALPHA = 0.05;

export function sequenceInterval(effect: Effect, options: SequenceOptions): Interval {
  return around(effect.value, effect.standardError * criticalValue(effect.players, options));
}

/** A p-value that may be looked at daily, too (equation 155): 1 / the mixture martingale. Tuned for the alpha of the options. */
export function sequenceP(
  { value, standardError, players }: Effect,
  { tunedTo, alpha = ALPHA }: SequenceOptions,
): number {
  if (standardError === 0) return value === 0 ? 1 : 0;
  const walk = (value / standardError) * Math.sqrt(players);
  return Math.min(1, Math.exp(-logMixture(walk, players, mixtureRho(tunedTo, alpha))));
}

/** By how many standard errors an effect must differ from zero. At one look it would be 1.96; here it is 3.03 or more. */
export function criticalValue(players: number, { tunedTo, alpha = ALPHA }: SequenceOptions): number {
  return mixtureBound(players, mixtureRho(tunedTo, alpha), alpha) / Math.sqrt(players);
}
