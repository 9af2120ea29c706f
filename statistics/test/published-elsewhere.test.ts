import { describe, expect, it } from 'vitest';
import { sequenceInterval } from '../src/confidence-sequence.js';
import { cupedEstimate, cupedSlope } from '../src/cuped.js';
import { absoluteEffect, relativeEffect } from '../src/effect.js';
import { type Estimate, meanEstimate } from '../src/estimate.js';
import { fixedInterval, fixedP, fixedPGreater } from '../src/fixed-horizon.js';
import { checkGuardrail, oneSidedCriticalValue } from '../src/guardrail.js';
import { momentsOf } from '../src/moments.js';
import { benjaminiHochberg, holm } from '../src/multiple-tests.js';
import { sampleRatioP } from '../src/sample-ratio.js';
import { fixedSampleSize } from '../src/sample-size.js';
import { normalTail } from '../src/special/normal.js';

/** More figures, each with its source. */

function relative(control: Estimate, arm: Estimate) {
  const effect = relativeEffect(control, arm);
  if (effect === undefined) throw new Error('the mean of the control is zero');
  return effect;
}

describe('Welch’s t', () => {
  // Student 1908, hours of sleep that two drugs added: `t.test(extra ~ group, data = sleep)` in the manual of R.
  const first = meanEstimate(momentsOf([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]));
  const second = meanEstimate(momentsOf([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]));

  it('is that of R for Student’s sleep data', () => {
    const effect = absoluteEffect(second, first);
    expect(effect.value / effect.standardError).toBeCloseTo(-1.8608, 4);
    expect(effect.freedom).toBeCloseTo(17.776, 3);
    expect(fixedP(effect)).toBeCloseTo(0.07939, 5);
    const { low, high } = fixedInterval(effect);
    expect(low).toBeCloseTo(-3.3654832, 6);
    expect(high).toBeCloseTo(0.2054832, 6);
  });

  it('is a point where no player differs from another', () => {
    const same = meanEstimate({ n: 200, sum: 200 * 4.99, squares: 200 * 4.99 ** 2 });
    const none = meanEstimate({ n: 100, sum: 0, squares: 0 });
    const { low, high } = fixedInterval(absoluteEffect(none, same));
    expect(low).toBeCloseTo(4.99, 6);
    expect(high).toBeCloseTo(4.99, 6);
  });
});

// GrowthBook, packages/stats/tests/frequentist/test_tests.py.
describe('figures of GrowthBook', () => {
  const a = { n: 3000, sum: 1396.87, squares: 52377.9767 };
  const b = { n: 3461, sum: 2422.7, squares: 134698.29 };
  const inAbsolute = absoluteEffect(meanEstimate(a), meanEstimate(b));
  const inRelative = relative(meanEstimate(a), meanEstimate(b));

  it('one-sided p-values at one look', () => {
    expect(fixedPGreater(inRelative)).toBeCloseTo(0.06558262868467746, 10);
    expect(fixedPGreater(inAbsolute)).toBeCloseTo(0.03554272489873023, 10);
    expect(fixedPGreater({ ...inAbsolute, value: -inAbsolute.value })).toBeCloseTo(0.9644572751012698, 10);
  });

  it('one-sided bounds that are always valid', () => {
    const options = { tunedTo: 5000, margin: 0.5, worse: 'lower' } as const;
    expect(checkGuardrail(inRelative, options).above).toBeCloseTo(-0.42356454602790883, 12);
    expect(checkGuardrail(inRelative, options).below).toBeCloseTo(1.4302867177403806, 12);
    expect(checkGuardrail(inAbsolute, options).above).toBeCloseTo(-0.12656844172804982, 12);
    expect(checkGuardrail(inAbsolute, options).below).toBeCloseTo(0.5953217750613832, 12);
  });

  it('an interval that is always valid, with CUPED', () => {
    const arms = [
      { ...a, otherSum: 16.87, otherSquares: 527.9767, products: 1 },
      { ...b, otherSum: 22.7, otherSquares: 1348.29, products: 1 },
    ] as const;
    const slope = cupedSlope(arms);
    const effect = relative(cupedEstimate(arms[0], slope), cupedEstimate(arms[1], slope));
    expect(effect.value).toBeCloseTo(0.50338, 5);
    expect(effect.standardError).toBeCloseTo(0.33341, 5);
    const { low, high } = sequenceInterval(effect, { tunedTo: 5000 });
    expect(low).toBeCloseTo(-0.50969, 5);
    expect(high).toBeCloseTo(1.51646, 5);
  });
});

describe('the one-sided normal mixture', () => {
  // confseq, test/uniform_boundaries_unittest.cpp: bound 27.66071 at v = v_opt = 100 and alpha = 0.05. The closed form is above it.
  it('is bounded closely by its closed form', () => {
    const bound = oneSidedCriticalValue(100, { tunedTo: 100 }) * 10;
    expect(bound).toBeGreaterThan(27.66071);
    expect(bound).toBeLessThan(27.66071 * 1.01);
    // The exact mixture at that bound has at least reached 1 / alpha.
    const rho = 100 / (-2 * Math.log(0.1) + Math.log1p(-2 * Math.log(0.1)));
    const mixture =
      2 *
      Math.sqrt(rho / (100 + rho)) *
      Math.exp(bound ** 2 / (2 * (100 + rho))) *
      normalTail(-bound / Math.sqrt(100 + rho));
    expect(mixture).toBeGreaterThanOrEqual(1 / 0.05);
  });
});

describe('the chi-squared test', () => {
  // The manual of scipy.stats.chisquare: statistic 2.0, p = 0.84914503608460956.
  it('is that of scipy', () => {
    const arms = [16, 18, 16, 14, 12, 12].map((players) => ({ players, weight: 1 }));
    expect(sampleRatioP(arms)).toBeCloseTo(0.8491450360846096, 13);
  });

  // Mendel's peas (1866): 315, 108, 101 and 32 against 9 : 3 : 3 : 1, chi-squared 0.47 and p = 0.925 in any textbook.
  it('is that of Mendel’s peas', () => {
    const peas = [
      { players: 315, weight: 9 },
      { players: 108, weight: 3 },
      { players: 101, weight: 3 },
      { players: 32, weight: 1 },
    ];
    expect(sampleRatioP(peas)).toBeCloseTo(0.925, 3);
  });
});

describe('adjusted p-values', () => {
  // Benjamini and Hochberg 1995, section 3.1: 15 tests; 4 are rejected by their method at 5%, 3 by Holm's and Bonferroni's.
  const paper = [
    ...[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344],
    ...[0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1],
  ];

  it('reject as many as in the paper', () => {
    expect(benjaminiHochberg(paper).filter((p) => p <= 0.05)).toHaveLength(4);
    expect(holm(paper).filter((p) => p <= 0.05)).toHaveLength(3);
  });

  it('keep their order, and leave one p-value as it is', () => {
    expect(holm([0.5, 0.01])).toEqual([0.5, 0.02]);
    expect(holm([0.04])).toEqual([0.04]);
    expect(benjaminiHochberg([0.04])).toEqual([0.04]);
    expect(holm([])).toEqual([]);
  });
});

describe('sample sizes', () => {
  // The manual of R: `power.t.test(power = .90, delta = 1)` gives n = 22.02 in each group; the formula, 21.98.
  it('are those of R', () => {
    expect(fixedSampleSize({ variance: 1, effect: 1, power: 0.9 })).toEqual({
      control: 22,
      arm: 22,
      total: 44,
    });
  });

  // G*Power, as cited in spotify/confidence, tests/samplesize/test_samplesizecalculator.py, alpha 0.05 and power 0.85.
  it('are those of G*Power, for arms of different sizes, too', () => {
    const options = { variance: 100, effect: 0.3, power: 0.85 };
    const unequal = fixedSampleSize({ ...options, ratio: 0.5 });
    expect(Math.abs(unequal.control - 29_929)).toBeLessThanOrEqual(2);
    expect(Math.abs(unequal.arm - 14_965)).toBeLessThanOrEqual(1);
    const share = fixedSampleSize({ variance: 0.34 * 0.66, effect: 0.003, power: 0.85 });
    expect(share.total / 897_348).toBeCloseTo(1, 2);
  });
});
