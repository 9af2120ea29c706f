/**
 * Gauss's hypergeometric function ₂F₁(a, b; c; z) for c > 0 and 0 ≤ z < 1, by its series Σ (a)ₙ(b)ₙ / (c)ₙ · zⁿ / n!
 * (Abramowitz & Stegun 15.1.1).
 *
 * The callers choose between a formula and what Euler's transformation (15.3.3) makes of it, so that a and b are small: the
 * terms get smaller from the start, or soon, and few of them are needed.
 */
const PRECISION = 1e-15;
/** A horizon that is 1,000 times as long as all that is known of a player needs about 30,000 terms. */
const MAX_TERMS = 50_000;

/** Where the terms rise above this, they are scaled down: they fall again, but may be too large to be numbers before. */
const LARGE = 1e200;

export function hypergeometric(a: number, b: number, c: number, z: number): number {
  const { sum, logScale } = series(a, b, c, z);
  return sum * Math.exp(logScale);
}

/** (1−z)^power · ₂F₁(a, b; c; z), also where the first is too small, and the second too large, to be a number. */
export function poweredHypergeometric(power: number, a: number, b: number, c: number, z: number): number {
  const { sum, logScale } = series(a, b, c, z);
  return sum * Math.exp(power * Math.log1p(-z) + logScale);
}

function series(a: number, b: number, c: number, z: number): { sum: number; logScale: number } {
  let term = 1;
  let sum = 1;
  let logScale = 0;
  for (let n = 0; n < MAX_TERMS; n += 1) {
    const ratio = (((a + n) * (b + n)) / ((c + n) * (n + 1))) * z;
    term *= ratio;
    sum += term;
    // Once the ratio is below 1 for good, the rest is at most a geometric series.
    if (Math.abs(term) <= PRECISION * Math.abs(sum) * (1 - z) && Math.abs(ratio) < 1)
      return { sum, logScale };
    if (Math.abs(term) > LARGE) {
      term /= LARGE;
      sum /= LARGE;
      logScale += Math.log(LARGE);
    }
  }
  return { sum: sum + (term * z) / (1 - z), logScale };
}
