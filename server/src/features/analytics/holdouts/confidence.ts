import { type Moments, varianceOf } from '../../../statistics/moments.js';
import { studentQuantile } from '../../../statistics/special/student.js';

/** 95% confidence intervals of what two groups of players differ by. Pure; tests compare them with published values. */

export type Interval = Readonly<{ low: number; high: number }>;

/** The 97.5% point of the normal distribution. */
const Z = 1.959_963_984_540_054;

/**
 * Wilson's score interval of a share, without continuity correction (Newcombe 1998, "Two-sided confidence intervals for the single
 * proportion", method 3). It stays within 0 and 1, and is right for shares of a few percent, where the textbook's is not.
 */
export function wilsonInterval(count: number, total: number): Interval {
  const share = count / total;
  const square = Z * Z;
  const centre = 2 * count + square;
  const width = Z * Math.sqrt(square + 4 * count * (1 - share));
  const scale = 2 * (total + square);
  return {
    low: count === 0 ? 0 : (centre - width) / scale,
    high: count === total ? 1 : (centre + width) / scale,
  };
}

export type Counted = Readonly<{ count: number; total: number }>;

/**
 * The interval of a − b for two shares: Newcombe's hybrid score interval (Newcombe 1998, "Interval estimation for the difference
 * between independent proportions", method 10).
 */
export function shareDifference(a: Counted, b: Counted): Interval {
  const [shareA, shareB] = [a.count / a.total, b.count / b.total];
  const [ofA, ofB] = [wilsonInterval(a.count, a.total), wilsonInterval(b.count, b.total)];
  const difference = shareA - shareB;
  return {
    low: difference - Math.hypot(shareA - ofA.low, ofB.high - shareB),
    high: difference + Math.hypot(ofA.high - shareA, shareB - ofB.low),
  };
}

/** The interval of a − b for two means whose variances may differ: Welch's t. */
export function meanDifference(a: Moments, b: Moments): Interval {
  const [errorA, errorB] = [a, b].map((of) => Math.max(0, varianceOf(of)) / of.n) as [number, number];
  const error = errorA + errorB;
  const difference = a.sum / a.n - b.sum / b.n;
  if (error === 0) return { low: difference, high: difference };
  const freedom = error ** 2 / (errorA ** 2 / (a.n - 1) + errorB ** 2 / (b.n - 1));
  const width = studentQuantile(0.025, freedom) * Math.sqrt(error);
  return { low: difference - width, high: difference + width };
}
