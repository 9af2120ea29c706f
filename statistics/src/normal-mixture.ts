/**
 * The two-sided normal mixture of Howard, Ramdas, McAuliffe and Sekhon (2021, "Time-uniform, nonparametric, nonasymptotic confidence
 * sequences"), as in their package confseq. A random walk with variance v at time v stays below `mixtureBound(v)` at *all* times with probability
 * 1 − alpha. `rho` decides when the bound is tightest.
 */

/** The rho for which the bound is about tightest at this variance. The exact one needs Lambert's function, and is hardly better. */
export function mixtureRho(bestVariance: number, alpha: number): number {
  const twice = -2 * Math.log(alpha);
  return bestVariance / (twice + Math.log1p(twice));
}

export function mixtureBound(variance: number, rho: number, alpha: number): number {
  return Math.sqrt((variance + rho) * (Math.log1p(variance / rho) - 2 * Math.log(alpha)));
}

/** ln of the mixture martingale: its reciprocal is a p-value that holds at all times. */
export function logMixture(walk: number, variance: number, rho: number): number {
  return (walk * walk) / (2 * (variance + rho)) - Math.log1p(variance / rho) / 2;
}
