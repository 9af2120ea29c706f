import { logBeta } from '../../../statistics/special/log-gamma.js';

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

/** Of values: how many, their sum, and the sum of their squares. */
export type Moments = Readonly<{ n: number; sum: number; squares: number }>;

/** The interval of a − b for two means whose variances may differ: Welch's t. */
export function meanDifference(a: Moments, b: Moments): Interval {
  const [errorA, errorB] = [squaredError(a), squaredError(b)];
  const error = errorA + errorB;
  const difference = a.sum / a.n - b.sum / b.n;
  if (error === 0) return { low: difference, high: difference };
  const freedom = error ** 2 / (errorA ** 2 / (a.n - 1) + errorB ** 2 / (b.n - 1));
  const width = studentQuantile(freedom) * Math.sqrt(error);
  return { low: difference - width, high: difference + width };
}

/** Of the mean. Rounding may leave less than nothing where all values are the same. */
function squaredError({ n, sum, squares }: Moments): number {
  return Math.max(0, squares - sum ** 2 / n) / (n - 1) / n;
}

/** The 97.5% point of Student's distribution, for any number of degrees of freedom above 0. */
export function studentQuantile(freedom: number): number {
  let [low, high] = [0, 2];
  while (studentTail(high, freedom) > 0.025) high *= 2;
  // Each step halves the range: sixty reach the last digit.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, freedom) > 0.025) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(T > t) for t ≥ 0: half of the regularised incomplete beta function at ν / (ν + t²) (Abramowitz & Stegun 26.7.1). */
function studentTail(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** I_x(a, b). The fraction converges fast below the mean, and above it by I_x(a, b) = 1 − I_{1−x}(b, a). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a;
  return front * betaFraction(x, a, b);
}

const MOST_TERMS = 10_000;
const TINY = 1e-300;

/** The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), by the modified method of Lentz. */
function betaFraction(x: number, a: number, b: number): number {
  let numerator = 1;
  let denominator = 1 / notZero(1 - ((a + b) * x) / (a + 1));
  let value = denominator;
  for (let m = 1; m < MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      denominator = 1 / notZero(1 + term * denominator);
      numerator = notZero(1 + term / numerator);
      change = numerator * denominator;
      value *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return value;
}

function notZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
