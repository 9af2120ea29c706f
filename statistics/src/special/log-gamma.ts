/**
 * ln Γ(x) for x > 0, by Stirling's series (Abramowitz & Stegun 6.1.41) above 10, and below by Γ(x) = Γ(x + 1) / x until
 * there. The error is a few units of the last place; a test compares it with values of `@stdlib`.
 */
const STIRLING_FROM = 10;
const HALF_LOG_TWO_PI = 0.918_938_533_204_672_8;

export function logGamma(x: number): number {
  let shifted = x;
  let product = 1;
  while (shifted < STIRLING_FROM) {
    product *= shifted;
    shifted += 1;
  }
  const inverse = 1 / shifted;
  const square = inverse * inverse;
  const series =
    inverse *
    (1 / 12 +
      square *
        (-1 / 360 +
          square * (1 / 1260 + square * (-1 / 1680 + square * (1 / 1188 - (691 / 360360) * square)))));
  return (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TWO_PI + series - Math.log(product);
}

/** ψ(x), the derivative of ln Γ(x), for x > 0, in the same way: Abramowitz & Stegun 6.3.18 above 10, ψ(x) = ψ(x + 1) − 1 / x below. */
export function digamma(x: number): number {
  let shifted = x;
  let sum = 0;
  while (shifted < STIRLING_FROM) {
    sum += 1 / shifted;
    shifted += 1;
  }
  const square = 1 / (shifted * shifted);
  const series =
    square *
    (1 / 12 -
      square *
        (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132 - (691 / 32760) * square)))));
  return Math.log(shifted) - 0.5 / shifted - series - sum;
}

/** ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b), for a, b > 0. */
export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}
