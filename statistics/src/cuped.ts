import type { Estimate } from './estimate.js';
import {
  covarianceOf,
  meanOf,
  NO_PAIRS,
  otherMoments,
  type PairMoments,
  plus,
  varianceOf,
} from './moments.js';

/**
 * CUPED (Deng, Xu, Kohavi and Walker 2013, "Improving the Sensitivity of Online Controlled Experiments by Utilizing Pre-Experiment Data"):
 * what a player did before exposure explains part of what the player does after it, and no arm can have changed that part. Taking it out
 * narrows the interval by the factor √(1 − ρ²), ρ being the correlation. The covariate (the `other` value of the pairs) must be known at
 * exposure; then any function of it will do, for instance one that is capped.
 */

/**
 * θ = cov(y, x) / var(x) over the players of all arms together, so that every arm is adjusted in the same way. 0 if the covariate
 * is the same for all.
 */
export function cupedSlope(arms: readonly PairMoments[]): number {
  const all = arms.reduce((sum, arm) => plus(sum, arm), NO_PAIRS);
  const variance = varianceOf(otherMoments(all));
  return variance > 0 ? covarianceOf(all) / variance : 0;
}

/** The mean of an arm with θ times the covariate taken out. */
export function cupedEstimate(arm: PairMoments, slope: number): Estimate {
  const [variance, covariance] = [varianceOf(arm), covarianceOf(arm)];
  const others = otherMoments(arm);
  const left = variance - 2 * slope * covariance + slope * slope * varianceOf(others);
  return {
    players: arm.n,
    mean: meanOf(arm),
    squaredError: Math.max(0, variance) / arm.n,
    adjusted: {
      mean: meanOf(arm) - slope * meanOf(others),
      squaredError: Math.max(0, left) / arm.n,
      covariance: (variance - slope * covariance) / arm.n,
    },
  };
}
