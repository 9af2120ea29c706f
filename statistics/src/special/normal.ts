import { upperGamma } from './incomplete-gamma.js';

const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);

/** P(Z > z) for a standard normal Z: half of Q(1/2, z² / 2). The relative error is below 1e-13, in the far tail, too. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  return upperGamma(0.5, (z * z) / 2) / 2;
}

/** P(Z ≤ z). */
export function normalShare(z: number): number {
  return normalTail(-z);
}

/**
 * The z above which a standard normal lies with this probability, 0 < tail < 1. The first guess is off by less than 0.00045 (Abramowitz &
 * Stegun 26.2.23); each of Halley's steps triples its digits. The relative error is below 1e-13.
 */
export function normalQuantile(tail: number): number {
  if (tail > 0.5) return -normalQuantile(1 - tail);
  if (tail === 0.5) return 0;
  let z = firstGuess(tail);
  for (let step = 0; step < 3; step += 1) {
    // Newton's step in units of the density, then Halley's correction by its slope −z.
    const newton = (normalTail(z) - tail) * ROOT_TWO_PI * Math.exp((z * z) / 2);
    z += newton / (1 - (z * newton) / 2);
  }
  return z;
}

function firstGuess(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328);
  const denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - numerator / denominator;
}
