import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NbdParameters } from '../../../src/decide/predict/beta-geometric-nbd.js';
import {
  type BgBbParameters,
  bgBbAlive,
  bgBbAnyActivity,
  bgBbExpected,
} from '../../../src/decide/predict/bg-bb.js';
import { bgNbdAlive, bgNbdExpected } from '../../../src/decide/predict/bg-nbd.js';
import { gammaGammaExpected } from '../../../src/decide/predict/gamma-gamma.js';
import { mbgNbdAlive, mbgNbdAnyPurchase, mbgNbdExpected } from '../../../src/decide/predict/mbg-nbd.js';

/** The textbook form of MBG/NBD, worked out by mpmath with 50 decimals. */
const MBG_EXAMPLES = [
  {
    parameters: { r: 0.525, alpha: 6.183, a: 0.891, b: 1.614 },
    history: { x: 2, tx: 30.43, t: 38.86 },
    horizon: 39,
    expected: 1.2629606232674,
    alive: 0.70620226511849,
  },
  {
    parameters: { r: 0.525, alpha: 6.183, a: 0.891, b: 1.614 },
    history: { x: 0, tx: 0, t: 38.86 },
    horizon: 39,
    expected: 0.15401274667515,
    alive: 0.38973508091876,
  },
  {
    parameters: { r: 0.525, alpha: 6.183, a: 1.4, b: 1.614 },
    history: { x: 150, tx: 170, t: 171 },
    horizon: 90,
    expected: 56.030868620028,
    alive: 0.9788121900076,
  },
  {
    parameters: { r: 0.525, alpha: 6.183, a: 0.891, b: 1.614 },
    history: { x: 20_000, tx: 1999, t: 2000 },
    horizon: 28,
    expected: 141.97471233562,
    alive: 0.51176073675388,
  },
  {
    parameters: { r: 0.8, alpha: 20, a: 0.7, b: 2.5 },
    history: { x: 20_000, tx: 1500, t: 1500 },
    horizon: 90,
    expected: 1160.4697768506,
    alive: 0.9999650055991,
  },
  // Where all players leave with about the same probability, the best a and b are this large.
  {
    parameters: { r: 0.8, alpha: 15, a: 14_600, b: 99_700 },
    history: { x: 3, tx: 20, t: 40 },
    horizon: 28,
    expected: 0.9179528581759,
    alive: 0.55073250896666,
  },
  {
    parameters: { r: 0.8, alpha: 15, a: 14_600, b: 99_700 },
    history: { x: 0, tx: 0, t: 5 },
    horizon: 90,
    expected: 2.0136716892715,
    alive: 0.84435542593509,
  },
  {
    parameters: { r: 0.8, alpha: 15, a: 14_600, b: 99_700 },
    history: { x: 20_000, tx: 1999, t: 2000 },
    horizon: 28,
    expected: 0.0036767400700578,
    alive: 0.00039967779808472,
  },
];

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const nbdParameters: fc.Arbitrary<NbdParameters> = fc.record({
  r: between(0.01, 20),
  alpha: between(0.1, 500),
  a: fc.oneof(between(0.05, 20), between(1_000, 50_000)),
  b: fc.oneof(between(0.05, 50), between(1_000, 100_000)),
});
const history = fc
  .tuple(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constant(20_000)), between(0, 2000), between(0, 2000))
  .map(([x, one, other]) => ({ x, tx: x === 0 ? 0 : Math.min(one, other), t: Math.max(one, other) }));
const bgBbParameters: fc.Arbitrary<BgBbParameters> = fc.record({
  alpha: between(0.01, 100),
  beta: between(0.01, 100),
  gamma: between(0.01, 100),
  delta: between(0.01, 100),
});
const activity = fc
  .tuple(fc.nat(180), fc.nat(180), fc.nat(180))
  .map((days) => days.sort((one, other) => one - other))
  .map(([x = 0, tx = 0, n = 0]) => ({ x, tx: x === 0 ? 0 : tx, n }));

describe('MBG/NBD', () => {
  it.each(MBG_EXAMPLES)(
    'expects $expected purchases',
    ({ parameters, history: past, horizon, expected, alive }) => {
      expect(mbgNbdExpected(parameters, past, horizon) / expected).toBeCloseTo(1, 9);
      expect(mbgNbdAlive(parameters, past) / alive).toBeCloseTo(1, 9);
    },
  );

  it('does not break where a is 1', () => {
    const past = { x: 3, tx: 20, t: 30 };
    const at = (a: number) => mbgNbdExpected({ r: 0.5, alpha: 6, a, b: 1.6 }, past, 28);
    expect(at(1)).toBeCloseTo((at(0.999) + at(1.001)) / 2, 5);
    expect(at(1 + 1e-9)).toBeCloseTo(at(1), 5);
  });

  it('gives finite numbers in their range for every past', () => {
    fc.assert(
      fc.property(nbdParameters, history, (parameters, past) => {
        const alive = mbgNbdAlive(parameters, past);
        const any = mbgNbdAnyPurchase(parameters, past, 7);
        const [week, quarter] = [7, 90].map((horizon) => mbgNbdExpected(parameters, past, horizon));
        expect(alive >= 0 && alive <= 1).toBe(true);
        expect(any >= 0 && any <= alive).toBe(true);
        expect(Number.isFinite(quarter)).toBe(true);
        // At least one purchase is not likelier than the mean number of purchases; rounding may cost a billionth.
        expect(any).toBeLessThanOrEqual((week ?? 0) * (1 + 1e-6) + 1e-9);
        expect(week).toBeLessThanOrEqual((quarter ?? 0) + 1e-9);
      }),
    );
  });

  it('believes less and less in a player who stays away', () => {
    fc.assert(
      fc.property(nbdParameters, history, between(0.1, 100), (parameters, past, later) => {
        const then = { ...past, t: past.t + later };
        expect(mbgNbdAlive(parameters, then)).toBeLessThanOrEqual(mbgNbdAlive(parameters, past));
      }),
    );
  });

  it('doubts a one-time buyer, whom BG/NBD believes to be alive for ever', () => {
    const parameters = { r: 0.5, alpha: 6, a: 0.9, b: 1.6 };
    const oneTime = { x: 0, tx: 0, t: 100 };
    expect(bgNbdAlive(parameters, oneTime)).toBe(1);
    expect(mbgNbdAlive(parameters, oneTime)).toBeLessThan(0.4);
    expect(bgNbdExpected(parameters, oneTime, 28)).toBeGreaterThan(mbgNbdExpected(parameters, oneTime, 28));
  });
});

describe('BG/BB', () => {
  it('gives probabilities for every past, and no more active days than days', () => {
    fc.assert(
      fc.property(bgBbParameters, activity, (parameters, past) => {
        const alive = bgBbAlive(parameters, past);
        const any = bgBbAnyActivity(parameters, past, 7);
        const expected = bgBbExpected(parameters, past, 7);
        expect(alive >= 0 && alive <= 1).toBe(true);
        expect(any >= 0 && any <= alive + 1e-12).toBe(true);
        expect(any <= expected + 1e-12 && expected <= 7 * any + 1e-12).toBe(true);
      }),
    );
  });

  it('is certain of a player who was active today', () => {
    expect(bgBbAlive({ alpha: 1, beta: 1, gamma: 1, delta: 1 }, { x: 1, tx: 9, n: 9 })).toBe(1);
  });

  it('agrees with all possible futures of a player, counted one by one', () => {
    const parameters = { alpha: 1.2, beta: 0.75, gamma: 0.66, delta: 2.8 };
    const past = { x: 2, tx: 3, n: 6 };
    const likelihoods = [0, 1, 2, 3].flatMap((length) =>
      length < 3 ? [] : Array.from({ length: 2 ** length }, (_, bits) => futureOf(past, bits, length)),
    );
    const all = likelihoods.reduce((sum, future) => sum + likelihood(parameters, future), 0);
    const active = likelihoods.filter((future) => future.x > past.x);
    const some = active.reduce((sum, future) => sum + likelihood(parameters, future), 0);
    const days = active.reduce(
      (sum, future) => sum + (future.x - past.x) * likelihood(parameters, future),
      0,
    );
    expect(all).toBeCloseTo(likelihood(parameters, past), 12);
    expect(bgBbAnyActivity(parameters, past, 3)).toBeCloseTo(some / all, 10);
    expect(bgBbExpected(parameters, past, 3)).toBeCloseTo(days / all, 10);
  });
});

describe('Gamma-Gamma', () => {
  it('goes from the mean of all players to the own mean as purchases come in', () => {
    const parameters = { p: 6.25, q: 3.74, v: 15.44 };
    const all = gammaGammaExpected(parameters, { x: 0, meanValue: 0 });
    expect(all).toBeCloseTo((6.25 * 15.44) / 2.74, 10);
    const steps = [1, 5, 50, 5000].map((x) => gammaGammaExpected(parameters, { x, meanValue: 100 }));
    expect([...steps].sort((one, other) => one - other)).toEqual(steps);
    expect(steps[0]).toBeGreaterThan(all);
    expect(steps[3]).toBeCloseTo(100, 0);
  });
});

/** The history after `length` more days, active where the bit is set. */
function futureOf(past: { x: number; tx: number; n: number }, bits: number, length: number) {
  let { x, tx } = past;
  for (let day = 1; day <= length; day += 1) {
    if ((bits >> (day - 1)) & 1) {
      x += 1;
      tx = past.n + day;
    }
  }
  return { x, tx, n: past.n + length };
}

/** The likelihood of one order of active days, straight from the definition: a sum over the day of leaving, by integration. */
function likelihood(
  { alpha, beta, gamma, delta }: BgBbParameters,
  { x, tx, n }: { x: number; tx: number; n: number },
) {
  const instant = (a: number, b: number, up: number, down: number): number => {
    let product = 1;
    for (let k = 0; k < up; k += 1) product *= a + k;
    for (let k = 0; k < down; k += 1) product *= b + k;
    for (let k = 0; k < up + down; k += 1) product /= a + b + k;
    return product;
  };
  let sum = instant(alpha, beta, x, n - x) * instant(gamma, delta, 0, n);
  for (let m = tx; m < n; m += 1) sum += instant(alpha, beta, x, m - x) * instant(gamma, delta, 1, m);
  return sum;
}
