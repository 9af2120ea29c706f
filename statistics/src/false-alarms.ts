import { incompleteBeta } from './special/incomplete-beta.js';

/** P(X ≥ count) of a binomial distribution: I_p(count, n − count + 1) (Abramowitz & Stegun 26.5.24). */
export function binomialTail(count: number, n: number, p: number): number {
  if (count <= 0) return 1;
  return count > n ? 0 : incompleteBeta(p, count, n - count + 1);
}

/**
 * The most false alarms that chance explains if each of `verdicts` independent verdicts is one with probability `rate`: more of them come less
 * often than `once`. Exact, so it holds for few verdicts, too.
 */
export function mostByChance(verdicts: number, rate: number, once: number): number {
  let [low, high] = [0, verdicts];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (binomialTail(middle + 1, verdicts, rate) < once) high = middle;
    else low = middle + 1;
  }
  return low;
}
