import { describe, expect, it } from 'vitest';
import { nbdLikelihood } from '../../../src/decide/predict/beta-geometric-nbd.js';
import { bgBbLikelihood } from '../../../src/decide/predict/bg-bb.js';
import type { LogLikelihood } from '../../../src/decide/predict/fit.js';
import { gammaGammaLikelihood } from '../../../src/decide/predict/gamma-gamma.js';

/** The derivatives of the likelihoods, worked out by hand, against differences of their values. */
const ACTIVITY = [
  { n: 0, x: 0, tx: 0, players: 7 },
  { n: 6, x: 0, tx: 0, players: 3 },
  { n: 6, x: 2, tx: 2, players: 4 },
  { n: 6, x: 2, tx: 5, players: 2 },
  { n: 6, x: 6, tx: 6, players: 1 },
  { n: 40, x: 3, tx: 9, players: 5 },
  { n: 180, x: 100, tx: 150, players: 2 },
];
const PURCHASES = [
  { x: 0, tx: 0, t: 0, players: 2 },
  { x: 0, tx: 0, t: 38.86, players: 9 },
  { x: 2, tx: 30.43, t: 38.86, players: 4 },
  { x: 2, tx: 3, t: 90, players: 1 },
  { x: 150, tx: 170, t: 171, players: 1 },
];
const SPENDING = [
  { x: 1, meanValue: 4.99, players: 3 },
  { x: 1, meanValue: 0.99, players: 2 },
  { x: 7, meanValue: 21.5, players: 4 },
];

const CASES: [string, LogLikelihood, number[][]][] = [
  ['BG/BB', bgBbLikelihood(ACTIVITY), points([1.2, 0.75, 0.66, 2.8], [0.2, 3, 8, 0.1], [300, 40, 0.01, 50])],
  ['BG/NBD', nbdLikelihood(PURCHASES, 0), points([0.24, 4.4, 0.79, 2.4], [3, 90, 0.01, 200])],
  [
    'MBG/NBD',
    nbdLikelihood(PURCHASES, 1),
    points([0.53, 6.2, 0.89, 1.6], [3, 90, 0.01, 200], [0.9, 200, 5_000, 9_000]),
  ],
  ['Gamma-Gamma', gammaGammaLikelihood(SPENDING), points([6.25, 3.74, 15.44], [0.3, 40, 2])],
];

const STEP = 1e-4;

describe.each(CASES)('the derivatives of the likelihood of %s', (_, likelihood, parameters) => {
  it.each(parameters.map((values) => [values]))('are the slopes of its values at %j', (values) => {
    const { gradient } = likelihood(values);
    expect(gradient).toHaveLength(values.length);
    for (const [at, slope] of gradient.entries()) {
      const moved = (factor: number) =>
        likelihood(values.map((value, index) => (index === at ? value * (1 + factor * STEP) : value))).value;
      // Of the logarithm of the parameter, which is what the search goes by. Four values leave an error of the fourth order.
      const measured = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * STEP);
      const byLog = slope * (values[at] ?? 0);
      expect(Math.abs(byLog - measured)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(measured)));
    }
  });
});

function points(...values: number[][]): number[][] {
  return values;
}
