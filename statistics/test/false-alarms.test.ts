import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialTail, mostByChance } from '../src/false-alarms.js';

/** P(X ≥ count), one term after the other. */
function plainTail(count: number, n: number, p: number): number {
  let [term, sum] = [(1 - p) ** n, 0];
  for (let k = 0; k <= n; k += 1) {
    if (k >= count) sum += term;
    term *= ((n - k) / (k + 1)) * (p / (1 - p));
  }
  return sum;
}

describe('the bound of false alarms', () => {
  it('is exact', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.nat(40), (n, count) => {
        expect(binomialTail(count, n, 0.05)).toBeCloseTo(plainTail(count, n, 0.05), 10);
      }),
    );
  });

  it('is the largest number that comes at least once in 1,000 times', () => {
    for (const n of [0, 1, 2, 3, 20, 140, 560, 3_920]) {
      const most = mostByChance(n, 0.05, 0.001);
      expect(plainTail(most + 1, n, 0.05)).toBeLessThan(0.001);
      if (most > 0) expect(plainTail(most, n, 0.05)).toBeGreaterThanOrEqual(0.001);
    }
  });
});
