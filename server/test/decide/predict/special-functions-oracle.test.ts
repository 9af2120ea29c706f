import { logGamma } from '@savepoint/statistics';
import { describe, expect, it } from 'vitest';
import { hypergeometric } from '../../../src/decide/predict/hypergeometric.js';
// Worked out once with gammaln 0.3.1 and hyp2f1 0.1.1 of @stdlib, which is not installed for it: it has 190 packages.
import values from './special-function-values.json' with { type: 'json' };

type Pair = [x: number, expected: number];
type Case = [r: number, a: number, b: number, x: number, z: number, expected: number];

describe('special functions agree with the values of @stdlib', () => {
  it('ln Γ, from 0.0001 to 100,000', () => {
    const errors = (values.lnGamma as Pair[]).map(
      ([x, expected]) => Math.abs(logGamma(x) - expected) / Math.max(1, Math.abs(expected)),
    );
    expect(errors).toHaveLength(91);
    expect(Math.max(...errors)).toBeLessThan(1e-14);
  });

  it('₂F₁, for parameters as purchases have them', () => {
    const errors = (values.hypergeometric as Case[]).map(([r, a, b, x, z, expected]) =>
      Math.abs(hypergeometric(a + b - r, a - 1, a + b + x, z) / expected - 1),
    );
    expect(errors).toHaveLength(360);
    expect(Math.max(...errors)).toBeLessThan(1e-10);
  });
});
