import { digamma, logBeta, logGamma } from '@savepoint/statistics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hypergeometric } from '../../../src/decide/predict/hypergeometric.js';

/** Digits by mpmath with 40 decimals. */
const LOG_GAMMAS: [x: number, value: number][] = [
  [0.0001, 9.210282658633963],
  [0.3, 1.0957979948180756],
  [1, 0],
  [1.5, -0.12078223763524522],
  [2, 0],
  [7.25, 7.0521854507385395],
  [9.99, 12.779315214350193],
  [10, 12.80182748008147],
  [123.456, 469.6055471299295],
  [20000.5, 178070.66998717244],
  [100000, 1051287.7089736569],
];

const HYPERGEOMETRICS: [a: number, b: number, c: number, z: number, value: number][] = [
  [0.9, -0.2, 3.2, 0.5, 0.9687764046555529],
  [2.3, -0.109, 3.505, 0.9, 0.8956484350180423],
  [1.2, 0.4, 20003.1, 0.7, 1.0000167983016788],
  [5, 3, 2.5, 0.3, 8.144510975191059],
  [-1.7, 0.9, 1.1, 0.95, 0.13229340312602353],
  [100, 0.5, 101, 0.8, 2.1941703346890487],
  [0.5, 0.5, 1.5, 0.99, 1.4780376623747749],
  [2, 1e-6, 4, 0.6, 1.0000003758192777],
];

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const EULER = 0.577_215_664_901_532_9;

describe('ψ', () => {
  it.each([
    [1, -EULER],
    [0.5, -EULER - 2 * Math.LN2],
    [0.25, -EULER - Math.PI / 2 - 3 * Math.LN2],
    [10, 7129 / 2520 - EULER],
  ])('of %d has the known value', (x, value) => {
    expect(Math.abs(digamma(x) - value)).toBeLessThanOrEqual(2e-15 * Math.max(1, Math.abs(value)));
  });

  it('obeys ψ(x + 1) = ψ(x) + 1 / x', () => {
    fc.assert(
      fc.property(between(1e-4, 1e5), (x) => {
        const next = digamma(x + 1);
        expect(Math.abs(next - digamma(x) - 1 / x)).toBeLessThanOrEqual(
          1e-14 * Math.max(1, Math.abs(next), 1 / x),
        );
      }),
    );
  });
});

describe('ln Γ', () => {
  it.each(LOG_GAMMAS)('of %d has the known value', (x, value) => {
    expect(Math.abs(logGamma(x) - value)).toBeLessThanOrEqual(1e-14 * Math.max(1, Math.abs(value)));
  });

  it('obeys Γ(x + 1) = x Γ(x)', () => {
    fc.assert(
      fc.property(between(1e-3, 1e4), (x) => {
        const one = logGamma(x + 1);
        expect(Math.abs(one - logGamma(x) - Math.log(x))).toBeLessThanOrEqual(
          1e-13 * Math.max(1, Math.abs(one)),
        );
      }),
    );
  });
});

describe('ln B', () => {
  it('is symmetric and obeys B(a + 1, b) = B(a, b) · a / (a + b)', () => {
    fc.assert(
      fc.property(between(0.01, 500), between(0.01, 500), (a, b) => {
        expect(logBeta(a, b)).toBeCloseTo(logBeta(b, a), 11);
        expect(logBeta(a + 1, b)).toBeCloseTo(logBeta(a, b) + Math.log(a / (a + b)), 10);
      }),
    );
  });
});

describe('₂F₁', () => {
  it.each(HYPERGEOMETRICS)('(%d, %d; %d; %d) has the known value', (a, b, c, z, value) => {
    expect(Math.abs(hypergeometric(a, b, c, z) / value - 1)).toBeLessThanOrEqual(1e-12);
  });

  it('is a power for b = c, and a logarithm for (1, 1; 2)', () => {
    fc.assert(
      fc.property(between(-3, 3), between(0.1, 50), between(0, 0.95), (a, b, z) => {
        expect(hypergeometric(a, b, b, z) * (1 - z) ** a).toBeCloseTo(1, 9);
        if (z > 0) expect(hypergeometric(1, 1, 2, z)).toBeCloseTo(-Math.log1p(-z) / z, 9);
      }),
    );
  });

  it('is 1 at 0, and finite close to 1', () => {
    expect(hypergeometric(2, 3, 4, 0)).toBe(1);
    expect(Number.isFinite(hypergeometric(2.5, -0.5, 3, 1 - 1e-9))).toBe(true);
  });
});
