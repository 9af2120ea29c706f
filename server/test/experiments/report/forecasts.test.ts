import { absoluteEffect } from '@savepoint/statistics';
import { describe, expect, it } from 'vitest';
import { normalOf } from '../../../../bench/experiments/simulated-arms.mjs';
import { type MetricEntry, metricKey } from '../../../src/decide/document/parts/experiment-metrics.js';
import { fromKeptKeys, toKeptKeys } from '../../../src/experiments/report/erased-currency.js';
import { estimateArms, FEWEST_WITH_FORECAST } from '../../../src/experiments/report/estimates.js';
import { type ExperimentSums, mergeExperimentSums } from '../../../src/experiments/report/experiment-sums.js';
import { metricValue, type PlayerFigures } from '../../../src/experiments/report/figures.js';
import type { MetricSums } from '../../../src/experiments/report/metric-sums.js';
import { reportOf } from '../../../src/experiments/report/report.js';
import {
  CONVERSION,
  figures,
  NOTHING,
  PER_PAYER,
  RETENTION_7,
  REVENUE,
  SESSIONS,
  simulate,
  spent,
  testExperiment,
} from '../support/simulated-sums.js';

/** What the models expected of players at the exposure, as a covariate of the report. */

const RETAINED = testExperiment({ metrics: { primary: RETENTION_7, secondary: [], guardrails: [] } });

/** Players whose churn is expected rightly: retention varies by nothing that is known but that. */
const life =
  ({ isNew = true, more = 0, share = 1 }: { isNew?: boolean; more?: number; share?: number } = {}) =>
  (variantId: string, random: () => number): PlayerFigures => {
    const stays = random();
    const isBack = random() < stays + (variantId === 'b' ? more : 0);
    const forecast = random() < share ? [1 - stays, null, null] : null;
    return figures({ isNew, activeOn: isBack ? [7] : [], forecast });
  };

const sumsOf = (sums: ExperimentSums, metric: MetricEntry): MetricSums[] =>
  ['a', 'b'].map((id) => sums[id]?.metrics[metricKey(metric)] as MetricSums);
const effectOf = (sums: ExperimentSums, metric: MetricEntry) => {
  const [control, arm] = estimateArms(metric, sumsOf(sums, metric)).estimates;
  if (!control || !arm) throw new Error('two arms');
  return absoluteEffect(control, arm);
};
const report = (sums: ExperimentSums, experiment = RETAINED) =>
  reportOf({
    ...{ experiment, sums, from: '2026-10-01', to: '2026-10-30', days: 30 },
    ...{ plannedEnd: undefined, armChanges: [] },
  });
const withoutForecasts = (sums: ExperimentSums): ExperimentSums =>
  simulate(RETAINED, { a: sums.a?.players ?? 0, b: sums.b?.players ?? 0 }, (id, random) => ({
    ...life()(id, random),
    forecast: null,
  }));

describe('the forecast of a player', () => {
  const forecast = [0.3, 0.2, 4.5];
  it.each<[string, MetricEntry, number | undefined]>([
    ['is churn for retention', RETENTION_7, 0.3],
    ['is churn for what players do', SESSIONS, 0.3],
    ['is churn for players with an event', { kind: 'share', of: 'event', eventType: 'win' }, 0.3],
    ['is the probability to pay for conversion', CONVERSION, 0.2],
    ['is the probability to pay for purchases', { kind: 'sum', sum: { of: 'purchases' } }, 0.2],
    ['is the revenue for revenue, in whatever currency', REVENUE, 4.5],
    ['is none for a ratio', PER_PAYER, undefined],
  ])('%s', (_, metric, expected) => {
    expect(metricValue(metric, figures({ forecast }), null)?.forecast).toBe(expected);
    expect(metricValue(metric, figures({ forecast: [null, null, null] }), null)?.forecast).toBeUndefined();
    expect(metricValue(metric, figures(), null)?.forecast).toBeUndefined();
  });
});

describe('intervals', () => {
  it.each([true, false])('are as narrow as the correlation says, also of new players (%s)', (isNew) => {
    const sums = simulate(RETAINED, { a: 5_000, b: 5_000 }, life({ isNew }));
    const narrow = effectOf(sums, RETENTION_7);
    const wide = effectOf(withoutForecasts(sums), RETENTION_7);
    // Retention of 0.5 varies by 1/4. What is expected of players, evenly from 0 to 1, varies by 1/12 of it.
    expect(narrow.standardError / wide.standardError).toBeCloseTo(Math.sqrt(1 - 1 / 3), 1);
    const [metric] = report(sums).metrics;
    expect(metric?.narrowing).toMatchObject({
      hasDaysBefore: false,
      forecast: { prediction: 'churn', players: 10_000 },
    });
    expect(metric?.narrowing?.percent).toBeGreaterThanOrEqual(17);
    expect(metric?.narrowing?.percent).toBeLessThanOrEqual(20);
  });

  it('cover the truth as often as they say, with few players of each kind', () => {
    const RUNS = 300;
    let covered = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const some = simulate(RETAINED, { a: 150, b: 150 }, life({ share: 0.5 }), seed);
      const others = simulate(RETAINED, { a: 120, b: 120 }, life({ isNew: false, share: 0.6 }), seed + 5_000);
      const { value, standardError } = effectOf(mergeExperimentSums(some, others), RETENTION_7);
      covered += Number(Math.abs(value) < 1.96 * standardError);
    }
    expect(covered / RUNS).toBeGreaterThan(0.92);
    expect(covered / RUNS).toBeLessThan(0.985);
  });

  it('take out the days before and the forecast where both say something', () => {
    const SPENT = testExperiment({ metrics: { primary: SESSIONS, secondary: [], guardrails: [] } });
    const habits = (knows: 'both' | 'before' | 'forecast') => (_: string, random: () => number) => {
      const [before, mood] = [10 + 2 * normalOf(random), normalOf(random)];
      const sessions = Math.max(0, before + 2 * mood + normalOf(random));
      return figures({
        isNew: false,
        since: { ...NOTHING, sessions },
        before: { ...NOTHING, sessions: knows === 'forecast' ? 0 : before },
        forecast: knows === 'before' ? null : [mood, null, null],
      });
    };
    const error = (knows: 'both' | 'before' | 'forecast') =>
      effectOf(simulate(SPENT, { a: 3_000, b: 3_000 }, habits(knows)), SESSIONS).standardError;
    // Variances: 4 of the days before, 4 of the forecast, 1 of neither.
    expect(error('both') / error('before')).toBeCloseTo(Math.sqrt(1 / 5), 1);
    expect(error('both') / error('forecast')).toBeCloseTo(Math.sqrt(1 / 5), 1);
    const [metric] = report(simulate(SPENT, { a: 500, b: 500 }, habits('both')), SPENT).metrics;
    expect(metric?.narrowing?.sentence).toMatch(
      /^Intervals are \d+% narrower by what players did in the 28 days before the exposure, and by the churn that the model expected at the exposure of 1,000 of 1,000 players\.$/,
    );
  });

  it('do not use forecasts that only few players of an arm have, and count these players all the same', () => {
    const some = simulate(RETAINED, { a: 400, b: 550 }, life({ share: 0 }));
    const few = (n: number) => simulate(RETAINED, { a: 200, b: n }, life(), 9);
    const below = mergeExperimentSums(some, few(FEWEST_WITH_FORECAST - 1));
    const enough = mergeExperimentSums(some, few(FEWEST_WITH_FORECAST));
    expect(estimateArms(RETENTION_7, sumsOf(below, RETENTION_7))).toMatchObject({ forecastPlayers: 0 });
    expect(report(below).metrics[0]).toMatchObject({
      narrowing: null,
      arms: [{ players: 600 }, { players: 550 + FEWEST_WITH_FORECAST - 1 }],
    });
    expect(report(enough).metrics[0]?.narrowing?.forecast?.players).toBe(200 + FEWEST_WITH_FORECAST);
  });

  it.each([1, 2])('are hardly wider for %i players of whom nothing is expected', (n) => {
    const all = simulate(RETAINED, { a: 3_000, b: 3_000 }, life());
    // The mean of whom nothing is expected is the mean of the others.
    const few = simulate(RETAINED, { a: n, b: 0 }, life({ share: 0 }), 9);
    const [before, after] = [all, mergeExperimentSums(all, few)].map((sums) => effectOf(sums, RETENTION_7));
    expect((after?.standardError ?? 0) / (before?.standardError ?? 0)).toBeCloseTo(1, 2);
    expect(report(mergeExperimentSums(all, few)).metrics[0]).toMatchObject({
      narrowing: { forecast: { players: 6_000 } },
      arms: [{ players: 3_000 + n }, { players: 3_000 }],
    });
  });

  it('are not called narrower where there is nobody', () => {
    expect(report({}, testExperiment()).metrics[0]?.narrowing).toBeNull();
  });

  it('find an effect where it is, whoever has a forecast', () => {
    const sums = simulate(RETAINED, { a: 4_000, b: 4_000 }, life({ more: 0.08, share: 0.5 }));
    const { value, standardError } = effectOf(sums, RETENTION_7);
    // Who would stay for sure cannot be made to stay more.
    expect(Math.abs(value - 0.0768)).toBeLessThan(3 * standardError);
  });

  it('are what they were without forecasts', () => {
    const sums = simulate(testExperiment(), { a: 500, b: 500 }, (_, random) => {
      const habit = 5 * random();
      return figures({ isNew: random() < 0.5, since: spent(habit + random()), before: spent(habit) });
    });
    const [metric] = report(sums, testExperiment()).metrics;
    expect(Object.keys(sums.a?.metrics[metricKey(REVENUE)] ?? {})).toEqual(['fresh', 'known']);
    expect(metric?.narrowing).toMatchObject({ hasDaysBefore: true, forecast: null });
    expect(metric?.narrowing?.sentence).toMatch(
      /^Intervals are \d+% narrower by what players did in the 28 days before the exposure\.$/,
    );
  });
});

describe('sums of erased players', () => {
  const kept = toKeptKeys(simulate(RETAINED, { a: 20, b: 20 }, life({ share: 0.5 })), 'EUR');

  it('are read as they were', () => {
    expect(fromKeptKeys(kept, 'EUR').sums).toEqual(
      simulate(RETAINED, { a: 20, b: 20 }, life({ share: 0.5 })),
    );
    const REPORTED = { kind: 'sum', sum: { of: 'revenue', currency: null } } as const;
    const money = {
      [metricKey(REPORTED)]: kept.a?.metrics[`${metricKey(RETENTION_7)} with forecast`] as MetricSums,
    };
    const arm = { players: 20, recentPlayers: 0, twoArms: 0, erased: 20, metrics: money };
    const inEuro = toKeptKeys({ a: arm }, 'EUR');
    expect(fromKeptKeys(inEuro, 'EUR')).toEqual({ sums: { a: arm }, leftOut: 0 });
    const n = money[metricKey(REPORTED)]?.freshForecast?.zeros.n ?? 0;
    expect(n).toBeGreaterThan(0);
    expect(fromKeptKeys(inEuro, 'USD').leftOut).toBeGreaterThanOrEqual(n);
  });

  it('are carried on by a node of the release before, which knows players without a forecast only', () => {
    const { a: arm } = simulate(RETAINED, { a: 20 }, life({ share: 0 }));
    const key = metricKey(RETENTION_7);
    const before = kept.a?.metrics[key];
    if (arm === undefined || before === undefined) throw new Error('no sums');
    const { fresh, known } = before;
    expect(Object.keys(before)).toEqual(['fresh', 'known']);
    // What it writes: the keys that it knows anew, the others as they are.
    const written = mergeExperimentSums(
      { a: { ...arm, metrics: { ...kept.a?.metrics, [key]: { fresh, known } } } },
      { a: arm },
    );
    expect(fromKeptKeys(written, 'EUR').sums.a?.metrics[key]?.freshForecast).toEqual(
      fromKeptKeys(kept, 'EUR').sums.a?.metrics[key]?.freshForecast,
    );
  });
});
