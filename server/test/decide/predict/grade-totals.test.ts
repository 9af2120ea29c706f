import { describe, expect, it } from 'vitest';
import { type Artefact, TOTAL_NAMES } from '../../../src/decide/predict/artefact.js';
import {
  gradeTotal,
  gradeWeekOfRevenue,
  type TotalMetrics,
  totalHealthAfter,
} from '../../../src/decide/predict/grade-totals.js';
import { score } from '../../../src/decide/predict/score.js';
import { train } from '../../../src/decide/predict/train.js';
import type { OriginCells, PayerCell } from '../../../src/decide/predict/training-data.js';
import { expectedGame } from './expected-game.js';

/** Numbers and amounts of 28 and 90 days, in a game in which exactly what is probable happens. */

const data = expectedGame(20_000, 600, 16);
const { artefact } = train(data, 1, null);
const origin = data.origins[0] as OriginCells;

function grade(name: (typeof TOTAL_NAMES)[number], of: OriginCells = origin): TotalMetrics {
  const metrics = gradeTotal(artefact, name, of);
  if (metrics === undefined) throw new Error(`${name} was not graded`);
  return metrics;
}

/** The same players, with their spending multiplied by this factor. */
const times = (factor: number): OriginCells => ({
  ...origin,
  payers: origin.payers.map((cell) => ({ ...cell, revenue28: factor * cell.revenue28 })),
  nonPayers: { ...origin.nonPayers, revenue28: factor * origin.nonPayers.revenue28 },
});

/** So few players that this many first purchases are expected of 28 days, and what happens instead. */
function expecting(first: number) {
  const share = first / origin.nonPayers.converted28;
  const activity = origin.activity.map((cell) => ({ ...cell, players: share * cell.players }));
  return (happened: Partial<OriginCells['nonPayers']>): OriginCells => ({
    ...origin,
    activity,
    nonPayers: { ...origin.nonPayers, ...happened },
  });
}

describe('what was expected of 28 and 90 days', () => {
  it('agrees with what happened, where that is what was learnt', () => {
    for (const name of TOTAL_NAMES) {
      const metrics = grade(name);
      expect(metrics.totalRatio, name).toBeGreaterThan(0.9);
      expect(metrics.totalRatio, name).toBeLessThan(1.1);
      expect(totalHealthAfter('green', metrics), name).toBe('green');
      expect(totalHealthAfter('red', metrics), name).toBe('green');
    }
  });

  it('is shown by tenths of the payers, from those of whom least was expected', () => {
    const { deciles, players, predicted, observed } = grade('purchases.revenue');
    expect(deciles).toHaveLength(10);
    expect(deciles.reduce((sum, decile) => sum + decile.players, 0)).toBe(players);
    const total = (of: 'predicted' | 'observed') =>
      deciles.reduce((sum, decile) => sum + decile.players * decile[of], 0);
    expect(total('predicted')).toBeCloseTo(predicted, 6);
    expect(total('observed')).toBeCloseTo(observed, 6);
    const expected = deciles.map((decile) => decile.predicted);
    expect([...expected].sort((one, other) => one - other)).toEqual(expected);
  });

  it('turns red where totals are off, and only what is off', () => {
    for (const factor of [4, 0.25]) {
      const changed = times(factor);
      expect(totalHealthAfter('green', grade('purchases.revenue', changed))).toBe('red');
      expect(totalHealthAfter('green', grade('conversion.revenue', changed))).toBe('red');
      expect(totalHealthAfter('green', grade('purchases.purchases', changed))).toBe('green');
      expect(totalHealthAfter('green', grade('purchases.revenue90', changed))).toBe('green');
    }
  });

  it('turns red where nothing happens of what was expected', () => {
    const { totalRatio, ...rest } = grade('purchases.revenue', times(0));
    expect(totalRatio).toBeNull();
    expect(totalHealthAfter('green', { totalRatio, ...rest })).toBe('red');
  });

  it('turns green again only when it is clearly better', () => {
    const metrics = { ...grade('purchases.revenue'), deviations: 100 };
    const health = (before: 'green' | 'red', cappedRatio: number) =>
      totalHealthAfter(before, { ...metrics, cappedRatio });
    expect([health('green', 1.4), health('red', 1.4), health('red', 1.2)]).toEqual(['green', 'red', 'green']);
    expect([health('green', 0.7), health('red', 0.7), health('red', 0.8)]).toEqual(['green', 'red', 'green']);
  });

  it('does not take chance for a reason: a few payers, one of whom spends much', () => {
    const [first, ...others] = origin.payers.slice(0, 12).map((cell) => ({ ...cell, revenue28: 0 }));
    if (first === undefined) throw new Error('there is nobody');
    const spent = (revenue28: number) =>
      grade('purchases.revenue', { ...origin, payers: [{ ...first, revenue28 }, ...others] });
    expect(spent(300).totalRatio).toBeLessThan(0.4);
    expect(totalHealthAfter('green', spent(300))).toBe('green');
    // Ten times what is expected of all is not what the model calls chance.
    expect(spent(1_000).totalRatio).toBeLessThan(0.1);
    expect(totalHealthAfter('green', spent(1_000))).toBe('red');
  });

  it('does not take chance for a reason: a few first purchases less, or of less, than expected', () => {
    const thirty = expecting(30);
    for (const converted28 of [30, 10, 0]) {
      const revenue28 = converted28 / 10;
      const metrics = grade('conversion.revenue', thirty({ converted28, revenue28 }));
      expect(metrics.predicted).toBeGreaterThan(10 * revenue28);
      expect(totalHealthAfter('green', metrics), `${converted28} first purchases`).toBe('green');
    }
  });

  it('turns red where many first purchases were expected, and none or few came', () => {
    const many = expecting(130);
    const none = { converted28: 0, purchases28: 0, revenue28: 0, converted90: 0, revenue90: 0 };
    for (const name of ['conversion.purchases', 'conversion.revenue', 'conversion.revenue90'] as const) {
      const metrics = grade(name, many(none));
      expect(metrics.totalRatio, name).toBeNull();
      expect(totalHealthAfter('green', metrics), name).toBe('red');
    }
    const few = grade('conversion.revenue', many({ converted28: 5, revenue28: 50 }));
    expect(totalHealthAfter('green', few)).toBe('red');
  });

  it('is not graded where there is no such model, or nobody', () => {
    const cold: Artefact = train(expectedGame(412, 90, 1), 1, null).artefact;
    for (const name of TOTAL_NAMES) expect(gradeTotal(cold, name, origin)).toBeUndefined();
    const empty = { ...origin, payers: [], activity: [] };
    for (const name of TOTAL_NAMES) expect(gradeTotal(artefact, name, empty)).toBeUndefined();
  });
});

describe('a whale', () => {
  /** A payer of whom as much more is expected as makes a total of 12,331. */
  function besideWhale(revenueOf: (cell: PayerCell) => number, ofWhale: number): OriginCells {
    const share = 2_000 / grade('purchases.revenue').predicted;
    const others = origin.payers.map((cell) => ({
      ...cell,
      players: share * cell.players,
      revenue28: share * revenueOf(cell),
    }));
    const regular = {
      ...(origin.payers[0] as PayerCell),
      x: 20,
      tx: 58,
      t: 60,
      players: 1,
      revenue28: ofWhale,
    };
    const expected = (meanValue: number) =>
      grade('purchases.revenue', { ...origin, payers: [...others, { ...regular, meanValue }] }).predicted;
    const perValue = (expected(2_000) - expected(1_000)) / 1_000;
    const meanValue = 1_000 + (12_331 - expected(1_000)) / perValue;
    return { ...origin, payers: [...others, { ...regular, meanValue }] };
  }

  it('does not keep the guard asleep: 12,331 were predicted, and nothing was spent', () => {
    const metrics = grade(
      'purchases.revenue',
      besideWhale(() => 0, 0),
    );
    expect(metrics.predicted).toBeCloseTo(12_331, 3);
    expect(metrics).toMatchObject({ observed: 0, totalRatio: null, cappedRatio: null, medianRatio: null });
    expect(metrics.deviations).toBeGreaterThan(5);
    expect(totalHealthAfter('green', metrics)).toBe('red');
  });

  it('does not hide that all others have stopped spending', () => {
    const metrics = grade(
      'purchases.revenue',
      besideWhale(() => 0, 10_331),
    );
    expect(metrics.totalRatio).toBeLessThan(1.3);
    expect(metrics.cappedRatio).toBeGreaterThan(10);
    expect(totalHealthAfter('green', metrics)).toBe('red');
  });

  it('is not a reason to distrust what is said of all others', () => {
    const metrics = grade(
      'purchases.revenue',
      besideWhale((cell) => cell.revenue28, 0),
    );
    expect(metrics.totalRatio).toBeGreaterThan(5);
    expect(metrics.medianRatio).toBeGreaterThan(0.8);
    expect(metrics.medianRatio).toBeLessThan(1.25);
    expect(totalHealthAfter('green', metrics)).toBe('green');
  });
});

describe('a collapse of prices', () => {
  /** Since a week everything costs a tenth. */
  const collapsed: OriginCells = {
    ...origin,
    payers: origin.payers.map((cell) => ({
      ...cell,
      revenue7: 0.1 * cell.revenue7,
      revenue28: cell.revenue28 - 0.9 * cell.revenue7,
    })),
  };

  it('turns red within a week, before it shows in 28 days', () => {
    const week = gradeWeekOfRevenue(artefact, collapsed);
    if (week === undefined) throw new Error('the week was not graded');
    expect(totalHealthAfter('green', grade('purchases.revenue', collapsed))).toBe('green');
    expect(totalHealthAfter('green', week)).toBe('red');
  });

  it('is not seen in a week like those before', () => {
    const week = gradeWeekOfRevenue(artefact, origin);
    expect(week?.totalRatio).toBeGreaterThan(0.9);
    expect(week?.totalRatio).toBeLessThan(1.1);
    expect(week && totalHealthAfter('green', week)).toBe('green');
  });
});

describe('a prediction that is not trusted by itself', () => {
  it('is the average, and the others of its model are not', () => {
    const today = data.day + 1;
    const payer = {
      firstDay: today - 60,
      activeDays: [[today - 60, today - 55]] as const,
      purchaseDays: [[today - 60, today - 58]] as const,
      repeatSpend: { USD: 20 },
      recentDays: [],
    };
    const scored = score(payer, artefact, today, new Set(['purchases.revenue90'] as const));
    expect(scored.revenue90).toMatchObject({ state: 'degraded', model: 'purchases', band: null });
    expect(scored.revenue90.value).toBe(scored.revenue90.defaultValue);
    expect([scored.spend.state, scored.purchases.state, scored.revenue.state]).toEqual([
      'ready',
      'ready',
      'ready',
    ]);
  });
});
