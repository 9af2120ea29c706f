import { normalQuantile } from '@savepoint/statistics';
import { describe, expect, it } from 'vitest';
import { predictPayer } from '../../../src/decide/predict/apply-models.js';
import type { Artefact, PurchasesModel } from '../../../src/decide/predict/artefact.js';
import type { NbdParameters } from '../../../src/decide/predict/beta-geometric-nbd.js';
import { countFactor } from '../../../src/decide/predict/calibration.js';
import { deviationsOfAmount, deviationsOfCount, type Expected } from '../../../src/decide/predict/chance.js';
import type { GammaGammaParameters } from '../../../src/decide/predict/gamma-gamma.js';
import { gradeModel, healthAfter } from '../../../src/decide/predict/grade.js';
import {
  gradeTotal,
  gradeWeekOfRevenue,
  totalHealthAfter,
} from '../../../src/decide/predict/grade-totals.js';
import { expectedPurchases, expectedRevenue } from '../../../src/decide/predict/payer-spread.js';
import { train } from '../../../src/decide/predict/train.js';
import type { OriginCells, PayerCell } from '../../../src/decide/predict/training-data.js';
import { expectedGame } from './expected-game.js';
import { drawBeta, drawGamma, type Random, seeded } from './simulate.js';

/** Payers who do exactly what the model says of them, and so are off by chance alone. */

const DAYS = 100;
const PAYERS = 28;
const WEEKS = 300;

type Truth = Readonly<{ buying: NbdParameters; values: GammaGammaParameters }>;
const WEEKLY: Truth = { buying: { r: 2, alpha: 14, a: 0.8, b: 8 }, values: { p: 5, q: 4, v: 12 } };
const UNEQUAL: Truth = { buying: { r: 0.3, alpha: 5, a: 0.5, b: 8 }, values: { p: 1, q: 2.2, v: 20 } };

const trained = train(expectedGame(5_000, 600, 3), 1, null).artefact;

function modelOf({ buying, values }: Truth): PurchasesModel {
  if (trained.models.purchases.state !== 'ready') throw new Error(trained.models.purchases.reason);
  return {
    ...trained.models.purchases,
    mbgNbd: buying,
    regression: undefined,
    calibration: { slope: 1, offset: 0 },
    value: { kind: 'gamma_gamma', ...values },
    purchasesPerDay: 1,
    factors: { purchases: 1, revenue: 1, revenue90: 1 },
  };
}

/** A payer on the last day of so many, and what the payer buys then. Time passes from the end of the first day on. */
function drawPayer(random: Random, { buying, values }: Truth): PayerCell {
  const rate = drawGamma(random, buying.r, buying.alpha);
  const leave = drawBeta(random, buying.a, buying.b);
  const scale = drawGamma(random, values.q, values.v);
  const t = Math.floor(DAYS * random());
  const bought: { day: number; spent: number }[] = [];
  let time = 0;
  for (let day = 0; day <= t + 90; day = Math.max(day + 1, Math.ceil(time))) {
    bought.push({ day, spent: drawGamma(random, values.p, scale) });
    if (random() < leave) break;
    time -= Math.log(1 - random()) / rate;
  }
  const until = (day: number) => bought.filter((each) => each.day <= day);
  const past = until(t);
  const sum = (some: typeof bought) => some.reduce((before, { spent }) => before + spent, 0);
  const after = (days: number) => sum(until(t + days)) - sum(past);
  const x = past.length - 1;
  return {
    ...{ x, tx: past.at(-1)?.day ?? 0, t, players: 1 },
    meanValue: x === 0 ? null : sum(past.slice(1)) / x,
    spent7: until(t + 7).length > past.length ? 1 : 0,
    purchaseDays28: until(t + 28).length - past.length,
    purchases28: until(t + 28).length - past.length,
    ...{ revenue7: after(7), revenue28: after(28), revenue90: after(90) },
  };
}

function drawOrigin(random: Random, truth: Truth): OriginCells {
  const payers = Array.from({ length: PAYERS }, () => drawPayer(random, truth));
  const [cell] = expectedGame(10, 1, 1).origins[0]?.buyers ?? [];
  if (cell === undefined) throw new Error('there is nobody');
  const buyers = payers.map(({ x, tx, t, spent7 }) => ({
    ...cell,
    history: { x, tx, t },
    players: 1,
    spent7,
  }));
  const nonPayers = {
    players: 0,
    converted28: 0,
    purchases28: 0,
    revenue28: 0,
    converted90: 0,
    revenue90: 0,
  };
  return { day: DAYS, activity: [], payers, buyers, nonPayers };
}

describe.each([
  ['alike', WEEKLY],
  ['unequal', UNEQUAL],
])('28 payers who buy by the model, %s', (_, truth) => {
  const artefact: Artefact = { ...trained, models: { ...trained.models, purchases: modelOf(truth) } };
  const random = seeded(9);
  const origins = Array.from({ length: WEEKS }, () => drawOrigin(random, truth));
  const count = (is: (origin: OriginCells) => boolean) => origins.filter(is).length;

  it('are red in less than one week of a hundred', () => {
    for (const name of ['purchases.purchases', 'purchases.revenue', 'purchases.revenue90'] as const) {
      const isRed = (origin: OriginCells) => {
        const metrics = gradeTotal(artefact, name, origin);
        return metrics !== undefined && totalHealthAfter('green', metrics) === 'red';
      };
      expect(count(isRed), name).toBeLessThanOrEqual(WEEKS / 100);
    }
    const isWeekRed = (origin: OriginCells) => {
      const week = gradeWeekOfRevenue(artefact, origin);
      return week !== undefined && totalHealthAfter('green', week) === 'red';
    };
    expect(count(isWeekRed)).toBeLessThanOrEqual(WEEKS / 100);
    const isSpendRed = (origin: OriginCells) => {
      const metrics = gradeModel(artefact, 'purchases', origin);
      return metrics !== undefined && healthAfter('green', metrics) === 'red';
    };
    expect(count(isSpendRed)).toBeLessThanOrEqual(WEEKS / 100);
  });

  it('are red in at most one week of a hundred by a model that took its level from 28 days of as many payers', () => {
    const sum = (numbers: readonly number[]) => numbers.reduce((before, number) => before + number, 0);
    const { purchases } = artefact.models;
    if (purchases.state !== 'ready') throw new Error(purchases.reason);
    const expected = (cell: PayerCell) => expectedRevenue(purchases, cell, 28, 1)?.mean ?? 0;
    const isRed = (origin: OriginCells, at: number) => {
      const month = origins[(at + 1) % WEEKS]?.payers ?? [];
      const revenue = countFactor(
        sum(month.map((cell) => cell.revenue28)),
        sum(month.map((cell) => expected(cell))),
      );
      const model = { ...purchases, factors: { ...purchases.factors, revenue } };
      const learnt = { ...artefact, models: { ...artefact.models, purchases: model } };
      const week = gradeWeekOfRevenue(learnt, origin);
      return week !== undefined && totalHealthAfter('green', week) === 'red';
    };
    expect(origins.filter(isRed).length).toBeLessThanOrEqual(WEEKS / 100);
  });

  it('spread about as widely as the model says', () => {
    const far = count((origin) => (gradeWeekOfRevenue(artefact, origin)?.deviations ?? 0) > 0.67);
    // Half of what chance does to a normal distribution. Where one payer may spend as much as all others, most weeks are nearer.
    expect(far / WEEKS).toBeGreaterThan(0.25);
    expect(far / WEEKS).toBeLessThan(0.6);
  });
});

describe('what is expected of a payer', () => {
  it('has the mean that the payer is told', () => {
    const random = seeded(3);
    for (const factors of [
      { purchases: 1, revenue: 1, revenue90: 1 },
      { purchases: 0.6, revenue: 1.8, revenue90: 0.5 },
    ]) {
      const model = { ...modelOf(WEEKLY), purchasesPerDay: 1.5, factors };
      for (let n = 0; n < 20; n += 1) {
        const payer = drawPayer(random, WEEKLY);
        const told = predictPayer(model, payer);
        const mean = (of: Expected | null) => of?.mean ?? Number.NaN;
        expect(mean(expectedPurchases(model, payer, 28)) / told.purchases).toBeCloseTo(1, 9);
        expect(mean(expectedRevenue(model, payer, 28, factors.revenue)) / (told.revenue ?? 0)).toBeCloseTo(
          1,
          9,
        );
        expect(
          mean(expectedRevenue(model, payer, 90, factors.revenue90)) / (told.revenue90 ?? 0),
        ).toBeCloseTo(1, 9);
      }
    }
  });
});

describe('deviations', () => {
  it('of a number are those of a Poisson distribution whose mean is as certain as a week makes it', () => {
    // The shape is 5 more than the mean: (shape / (shape + mean)) ** shape is the probability of nothing.
    expect(deviationsOfCount(0.05, 1)).toBeCloseTo(normalQuantile(1 - (5.05 / 5.1) ** 5.05), 6);
    expect(deviationsOfCount(12, 0)).toBeCloseTo(normalQuantile((17 / 29) ** 17), 6);
    // Drawn again: a model that saw 27 in its week expects 27, and sees 47 in one week of some hundreds.
    expect(deviationsOfCount(27, 47)).toBeGreaterThan(2);
    expect(deviationsOfCount(27, 47)).toBeLessThan(3);
    expect(deviationsOfCount(12, 12)).toBe(0);
    expect(deviationsOfCount(0, 0)).toBe(0);
    expect(deviationsOfCount(0, 3)).toBeGreaterThan(5);
    expect(Number.isFinite(deviationsOfCount(1e6, 0))).toBe(true);
  });

  it('of many payers are those of a normal distribution, and nothing is as improbable as it is', () => {
    const many = { mean: 1e6, variance: 1e6, nothing: 0 };
    expect(deviationsOfAmount(many, 1e6 + 3_000)).toBeCloseTo(3, 1);
    expect(deviationsOfAmount(many, 1e6 - 3_000)).toBeCloseTo(3, 1);
    expect(deviationsOfAmount({ mean: 10, variance: 100, nothing: 0.3 }, 0)).toBeCloseTo(
      normalQuantile(0.3),
      9,
    );
  });
});
