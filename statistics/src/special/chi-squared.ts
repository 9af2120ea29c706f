import { upperGamma } from './incomplete-gamma.js';

/** P(X > x) for the chi-squared distribution: Q(ν / 2, x / 2) (Abramowitz & Stegun 26.4.19). The relative error is below 1e-12. */
export function chiSquaredTail(x: number, freedom: number): number {
  return upperGamma(freedom / 2, x / 2);
}
