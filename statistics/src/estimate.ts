import { covarianceOf, type Moments, meanOf, otherMoments, type PairMoments, varianceOf } from './moments.js';

/**
 * What an arm shows of a metric. All errors are squared standard errors: variances of the mean, not of the players' values.
 *
 * `adjusted` is the mean after a covariate has been taken out; without one it is the mean itself. Differences are taken between adjusted
 * means. Relative changes are divided by the mean as it was counted, so `covariance` (of both) is needed, too.
 */
export type Estimate = Readonly<{
  players: number;
  mean: number;
  squaredError: number;
  adjusted: Readonly<{ mean: number; squaredError: number; covariance: number }>;
}>;

/** An estimate without a covariate, from the variance of the players' values. */
export function unadjusted(players: number, mean: number, variance: number): Estimate {
  const squaredError = Math.max(0, variance) / players;
  return { players, mean, squaredError, adjusted: { mean, squaredError, covariance: squaredError } };
}

/** The share of players who did something. Its variance is p (1 − p) / n. */
export function shareEstimate({ count, players }: { count: number; players: number }): Estimate {
  const share = count / players;
  return unadjusted(players, share, share * (1 - share));
}

/** The mean of a value per player. Players without the value count as zeros: they are in n. */
export function meanEstimate(moments: Moments): Estimate {
  return unadjusted(moments.n, meanOf(moments), varianceOf(moments));
}

/**
 * The ratio of two sums, such as revenue per session: the first value of each player divided by the other. Players are drawn, not
 * sessions, so its variance comes from the delta method over players (Deng, Knoblich and Lu 2018, "Applying the Delta Method in Metric
 * Analytics", section 3.1): (σ²ₘ − 2 r σₘ𝒹 + r² σ²𝒹) / (n d̄²).
 */
export function ratioEstimate(pairs: PairMoments): Estimate {
  const { n, otherSum } = pairs;
  const ratio = pairs.sum / otherSum;
  const variance =
    varianceOf(pairs) - 2 * ratio * covarianceOf(pairs) + ratio * ratio * varianceOf(otherMoments(pairs));
  const divisor = otherSum / n;
  return unadjusted(n, ratio, variance / (divisor * divisor));
}
