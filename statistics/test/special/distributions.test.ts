import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chiSquaredTail } from '../../src/special/chi-squared.js';
import { incompleteBeta } from '../../src/special/incomplete-beta.js';
import { upperGamma } from '../../src/special/incomplete-gamma.js';
import { normalQuantile, normalShare, normalTail } from '../../src/special/normal.js';
import { studentQuantile, studentTail } from '../../src/special/student.js';

/** As a share of the value. */
function expectWithin(value: number, expected: number, error: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(error * Math.abs(expected));
}

describe('values by mpmath with 40 decimals', () => {
  it.each([
    [0.5, 0.1, 0.654720846018577],
    [0.5, 12, 9.633570086430946e-7],
    [1, 3, 0.049787068367863944],
    [2.5, 0.3, 0.9880032427940937],
    [3, 10, 0.002769395715511576],
    [10, 9, 0.5874082443319414],
    [50, 80, 0.00013078397659141034],
    [500, 480, 0.8137180268096754],
    [1000, 1100, 0.0010593232539299773],
  ])('Q(%d, %d)', (a, x, expected) => {
    expectWithin(upperGamma(a, x), expected, 1e-12);
  });

  it.each([
    [0.3, 2, 3, 0.3483],
    [0.9, 0.5, 0.5, 0.7951672353008665],
    [0.01, 0.5, 20, 0.47136993548501555],
    [0.999, 3433, 0.5, 0.008770689976618323],
    [0.5, 100, 100, 0.5],
    [0.9999, 50_000, 0.5, 0.0015650197621734948],
  ])('I at %d of (%d, %d)', (x, a, b, expected) => {
    expectWithin(incompleteBeta(x, a, b), expected, 1e-10);
  });

  it.each([
    [0, 0.5],
    [0.5, 0.3085375387259869],
    [1, 0.15865525393145705],
    [3, 0.0013498980316300946],
    [5, 2.866515718791939e-7],
    [8, 6.220960574271784e-16],
    [12, 1.776482112077679e-33],
    [-2, 0.9772498680518208],
  ])('the normal tail above %d', (z, expected) => {
    expectWithin(normalTail(z), expected, 1e-13);
    expectWithin(normalShare(-z), expected, 1e-13);
  });

  it.each([
    [0.4, 0.2533471031357998],
    [0.2, 0.8416212335729142],
    [0.15, 1.0364333894937896],
    [0.025, 1.9599639845400543],
    [0.005, 2.575829303548901],
    [0.0005, 3.290526731491895],
    [1e-6, 4.753424308822899],
    [1e-12, 7.034483825301132],
    [0.9, -1.2815515655446006],
  ])('the normal point above which %d lies', (tail, expected) => {
    expectWithin(normalQuantile(tail), expected, 1e-13);
  });

  it.each([
    [1, 1, 0.25, 1e-14],
    [2.5, 4, 0.03338327240599407, 1e-13],
    [12.706, 1, 0.025000401179066593, 1e-13],
    [1.96, 55.7, 0.02750298858954593, 1e-13],
    [0.01, 30, 0.49604374628658887, 1e-13],
    [3, 6866, 0.00135474373077815, 1e-10],
    [2.3, 100_000, 0.010725134554660109, 1e-10],
    [1.96, 10_000_000, 0.024997909012657096, 1e-8],
  ])('Student’s tail above %d with %d degrees of freedom', (t, freedom, expected, error) => {
    expectWithin(studentTail(t, freedom), expected, error);
  });

  it.each([
    [0.025, 1, 12.706204736174705],
    [0.025, 2.5, 3.574654842003683],
    [0.005, 10, 3.1692726726169513],
    [0.1, 30, 1.3104150253913955],
    [0.025, 6866.5, 1.9603095291898724],
    [0.0005, 120, 3.3734537685625003],
    [0.025, 1_000_000, 1.959966356814107],
  ])('Student’s point above which %d lies, with %d degrees of freedom', (tail, freedom, expected) => {
    expectWithin(studentQuantile(tail, freedom), expected, 1e-10);
    expect(studentQuantile(1 - tail, freedom)).toBeCloseTo(-expected, 9);
  });

  it.each([
    [3.841, 1, 0.0500136837639567],
    [0.1, 2, 0.951229424500714],
    [30, 10, 0.0008566412107753004],
    [120, 100, 0.08440668109369183],
  ])('the chi-squared tail above %d with %d degrees of freedom', (x, freedom, expected) => {
    expectWithin(chiSquaredTail(x, freedom), expected, 1e-12);
  });
});

describe('printed tables', () => {
  // Any printed table, such as Abramowitz & Stegun 26.10.
  it.each([
    [1, 12.706],
    [2, 4.303],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [120, 1.98],
  ])('Student’s 97.5%% point of %d degrees of freedom', (freedom, printed) => {
    expect(studentQuantile(0.025, freedom).toFixed(3)).toBe(printed.toFixed(3));
  });

  // Abramowitz & Stegun 26.8: the point that 5% and 0.1% lie above.
  it.each([
    [1, 3.84146, 10.828],
    [2, 5.99146, 13.816],
    [5, 11.0705, 20.515],
    [10, 18.307, 29.588],
    [30, 43.7729, 59.703],
  ])('chi-squared with %d degrees of freedom', (freedom, five, tenth) => {
    expect(chiSquaredTail(five, freedom)).toBeCloseTo(0.05, 5);
    expect(chiSquaredTail(tenth, freedom)).toBeCloseTo(0.001, 6);
  });
});

describe('what holds for all arguments', () => {
  const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });

  it('a quantile has its tail', () => {
    fc.assert(
      fc.property(between(1e-9, 0.5), between(1, 200), (tail, freedom) => {
        expectWithin(normalTail(normalQuantile(tail)), tail, 1e-11);
        expectWithin(studentTail(studentQuantile(tail, freedom), freedom), tail, 1e-9);
      }),
    );
  });

  it('both sides of the incomplete beta function are 1', () => {
    fc.assert(
      fc.property(between(0.001, 0.999), between(0.5, 400), between(0.5, 400), (x, a, b) => {
        expect(incompleteBeta(x, a, b) + incompleteBeta(1 - x, b, a)).toBeCloseTo(1, 11);
      }),
    );
  });

  it('the ends are the ends', () => {
    expect(upperGamma(2, 0)).toBe(1);
    expect(upperGamma(2, Number.POSITIVE_INFINITY)).toBe(0);
    expect(incompleteBeta(0, 2, 3)).toBe(0);
    expect(incompleteBeta(1, 2, 3)).toBe(1);
    expect(normalQuantile(0.5)).toBe(0);
    expect(studentTail(0, 7)).toBe(0.5);
  });
});
