/**
 * Gauss's hypergeometric function ₂F₁(a, b; c; z) for c > 0 and 0 ≤ z < 1, by its series Σ (a)ₙ(b)ₙ / (c)ₙ · zⁿ / n!
 * (Abramowitz & Stegun 15.1.1).
 *
 * The callers have turned their formulas by Euler's transformation (15.3.3) so that a and b do not grow with the number of
 * purchases, only c does: the terms get smaller from the start, and nothing overflows for a player with 20,000 purchases.
 */
const PRECISION = 1e-15;
/** A horizon that is 1,000 times as long as all that is known of a player needs about 30,000 terms. */
const MAX_TERMS = 50_000;

export function hypergeometric(a: number, b: number, c: number, z: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 0; n < MAX_TERMS; n += 1) {
    const ratio = (((a + n) * (b + n)) / ((c + n) * (n + 1))) * z;
    term *= ratio;
    sum += term;
    // Once the ratio is below 1 for good, the rest is at most a geometric series.
    if (Math.abs(term) <= PRECISION * Math.abs(sum) * (1 - z) && Math.abs(ratio) < 1) return sum;
  }
  return sum + (term * z) / (1 - z);
}
