import { incompleteBeta, normalQuantile, upperGamma } from '@savepoint/statistics';
import { RATE_RIDGE } from './calibration.js';

/**
 * How far something that was observed is from what a model expects, by the distribution that the model itself gives it. The answer is a
 * number of standard deviations: those beyond which a normal distribution is as improbable on that side. So 3.3 is always 1 in 2,000, also where
 * the distribution is far from normal: one buyer where 0.05 are expected is four deviations of 0.05 away, and happens in one week of 20.
 */
const LOST_DEVIATIONS = 3.3;
/** 1 in 6: what has lost trust is not right again because chance might explain that it is still wrong. */
const REGAINED_DEVIATIONS = 1;

export function isBeyondChance(deviations: number, wasTrusted: boolean): boolean {
  return deviations >= (wasTrusted ? LOST_DEVIATIONS : REGAINED_DEVIATIONS);
}

/** The difference of 1 and a smaller probability has no digits left. */
const MIN_TAIL = 1e-15;

/**
 * Of a number of rare things that happen independently (Poisson). The rate of the model is uncertain, too: it was calibrated on one week of about as many
 * players. So the number is negative binomial. That is wider than the number of things that are not rare.
 */
export function deviationsOfCount(expected: number, observed: number): number {
  const count = Math.round(observed);
  const shape = expected + RATE_RIDGE;
  const share = expected / (shape + expected);
  return deviationsOf(
    count > expected ? incompleteBeta(share, count, shape) : incompleteBeta(1 - share, shape, count + 1),
  );
}

/** An amount that many add up to. `nothing`: the probability that it is 0. */
export type Expected = Readonly<{ mean: number; variance: number; nothing: number }>;

/** Of an amount: a gamma distribution of this mean and variance, and 0 as often as nothing happens. */
export function deviationsOfAmount({ mean, variance, nothing }: Expected, observed: number): number {
  if (!(variance > 0 && mean > 0)) return 0;
  const above = upperGamma((mean * mean) / variance, (mean * observed) / variance);
  return deviationsOf(observed > mean ? above : Math.max(nothing, 1 - above));
}

function deviationsOf(tail: number): number {
  return tail >= 0.5 ? 0 : normalQuantile(Math.max(MIN_TAIL, tail));
}
