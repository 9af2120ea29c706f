import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { hypergeometric } from '../../../src/personalisation/predict/hypergeometric.js';
import { logGamma } from '../../../src/statistics/special/log-gamma.js';

/** The same functions by @stdlib, which is too heavy to run with: 190 packages. They are CommonJS modules. */
const require = createRequire(import.meta.url);
const gammaln = require('@stdlib/math-base-special-gammaln') as (x: number) => number;
const hyp2f1 = require('@stdlib/math-base-special-hyp2f1') as (
  a: number,
  b: number,
  c: number,
  z: number,
) => number;

describe('special functions agree with @stdlib', () => {
  it('ln Γ, from 0.0001 to 100,000', () => {
    let worst = 0;
    for (let log = Math.log(1e-4); log < Math.log(1e5); log += 0.001) {
      const x = Math.exp(log);
      const expected = gammaln(x);
      worst = Math.max(worst, Math.abs(logGamma(x) - expected) / Math.max(1, Math.abs(expected)));
    }
    expect(worst).toBeLessThan(1e-14);
  });

  it('₂F₁, for parameters as purchases have them', () => {
    let worst = 0;
    let compared = 0;
    for (const r of [0.1, 0.52, 3]) {
      for (const a of [0.3, 0.89, 1.4, 6]) {
        for (const b of [0.4, 1.61, 9]) {
          for (const x of [0, 1, 7, 150, 20_000]) {
            for (const z of [0.01, 0.3, 0.5, 0.75, 0.89]) {
              const expected = hyp2f1(a + b - r, a - 1, a + b + x, z);
              const own = hypergeometric(a + b - r, a - 1, a + b + x, z);
              worst = Math.max(worst, Math.abs(own / expected - 1));
              compared += 1;
            }
          }
        }
      }
    }
    expect(compared).toBe(900);
    expect(worst).toBeLessThan(1e-10);
  });
});
