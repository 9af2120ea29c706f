/** One step of a continued fraction: the numerator a and the denominator b. */
export type Term = Readonly<{ a: number; b: number }>;

const MOST_TERMS = 20_000;
const TINY = 1e-300;
/** Twice the distance between 1 and the next number. */
const PRECISE = 4.5e-16;

/**
 * a₁ / (b₁ + a₂ / (b₂ + …)) by the modified method of Lentz (Thompson and Barnett 1986): it goes forward, and stops when a step
 * no longer changes the value.
 */
export function continuedFraction(termAt: (index: number) => Term): number {
  let numerator = TINY;
  let denominator = 0;
  let value = TINY;
  for (let index = 1; index < MOST_TERMS; index += 1) {
    const { a, b } = termAt(index);
    denominator = 1 / notZero(b + a * denominator);
    numerator = notZero(b + a / numerator);
    const change = numerator * denominator;
    value *= change;
    if (Math.abs(change - 1) < PRECISE) break;
  }
  return value;
}

function notZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
