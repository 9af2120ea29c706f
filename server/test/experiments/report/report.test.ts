import { describe, expect, it } from 'vitest';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import {
  type ExperimentSums,
  mergeExperimentSums,
  noArmSums,
} from '../../../src/experiments/report/experiment-sums.js';
import type { PlayerFigures } from '../../../src/experiments/report/figures.js';
import { reportOf } from '../../../src/experiments/report/report.js';
import { finalReport } from '../../../src/experiments/report/shown-report.js';
import { wouldChange } from '../../../src/experiments/report/verdict.js';
import {
  CONVERSION,
  figures,
  PER_PAYER,
  RETENTION_7,
  REVENUE,
  SESSIONS,
  simulate,
  spent,
  testExperiment,
} from '../support/simulated-sums.js';

/** A payer of 10% spends 5 to 15; arm b spends `more` times as much. */
const payers =
  (more = 1, share = 0.1) =>
  (variantId: string, random: () => number): PlayerFigures => {
    const amount = random() < share ? (5 + 10 * random()) * (variantId === 'b' ? more : 1) : 0;
    return figures({ since: spent(amount) });
  };

function report(
  experiment: ExperimentEntry,
  sums: ExperimentSums,
  more: Partial<Parameters<typeof reportOf>[0]> = {},
) {
  return reportOf({
    ...{ experiment, sums, from: '2026-10-01', to: '2026-10-30', days: 30 },
    ...{ plannedEnd: undefined, armChanges: [] },
    ...more,
  });
}

function compared(sums: ExperimentSums, experiment = testExperiment()) {
  const comparison = report(experiment, sums).metrics[0]?.arms[1]?.comparison;
  if (comparison === null || comparison === undefined) throw new Error('arm b is not compared');
  return comparison;
}

describe('the verdict', () => {
  const experiment = testExperiment();
  const alike = simulate(experiment, { a: 3000, b: 3000 }, payers());
  const better = simulate(experiment, { a: 6000, b: 6000 }, payers(1.5));

  it('is not proven where the arms are alike', () => {
    const { state, relativeInterval, sentence } = compared(alike);
    expect(state).toBe('not_proven');
    expect(relativeInterval?.low).toBeLessThan(0);
    expect(relativeInterval?.high).toBeGreaterThan(0);
    expect(sentence).toMatch(
      /^B earns between [\d.]+% less and [\d.]+% more in USD per player\. Not proven\./,
    );
  });

  it('names the arm that earns more, and by how much', () => {
    const { state, sentence, p } = compared(better);
    expect(state).toBe('higher');
    expect(p).toBeLessThan(0.05);
    expect(sentence).toMatch(/^B earns between [\d.]+% and [\d.]+% more in USD per player\. Proven\.$/);
    expect(report(experiment, better).verdict).toBe(sentence);
  });

  it('covers the truth', () => {
    const { relativeInterval } = compared(better);
    expect(relativeInterval?.low).toBeLessThan(0.5);
    expect(relativeInterval?.high).toBeGreaterThan(0.5);
  });

  it('says points of a share', () => {
    const shares = testExperiment({ metrics: { primary: RETENTION_7, secondary: [], guardrails: [] } });
    const sums = simulate(shares, { a: 4000, b: 4000 }, (variantId, random) =>
      figures({ activeOn: random() < (variantId === 'b' ? 0.3 : 0.2) ? [7] : [] }),
    );
    expect(compared(sums, shares).sentence).toMatch(
      /^Day 7 retention of B is between [\d.]+ points and [\d.]+ points higher\. Proven\.$/,
    );
  });

  it('names the days until today’s difference is proven, at the pace of the last week', () => {
    const small = simulate(experiment, { a: 4000, b: 4000 }, payers(1.2));
    for (const arm of Object.values(small)) arm.recentPlayers = 350;
    const { daysUntilProven, sentence } = compared(small);
    expect(daysUntilProven).toBeGreaterThan(0);
    expect(sentence).toContain(`At today’s pace it could be in ${daysUntilProven} day`);
    for (const arm of Object.values(small)) arm.recentPlayers = 0;
    expect(compared(small).sentence).toContain('no day can be named');
  });

  it('says what would change it', () => {
    expect(report(experiment, alike).wouldChange.join()).toMatch(/A difference of [\d.]+% would be proven/);
    expect(report(experiment, better).wouldChange.join()).toMatch(/at least [\d.]+%/);
  });

  it('names no number of days that nobody would wait', () => {
    const { metrics, ...told } = report(experiment, alike);
    const slow = (daysUntilProven: number) =>
      metrics.map((metric) => ({
        ...metric,
        arms: metric.arms.map((arm) => ({
          ...arm,
          comparison: arm.comparison && { ...arm.comparison, daysUntilProven },
        })),
      }));
    const arms = told.arms.map((arm) => ({ ...noArmSums(), ...arm }));
    const words = (days: number) => wouldChange({ ...told, arms, metrics: slow(days) }).join();
    expect(words(12)).toContain('for 12 days more');
    expect(words(7_482)).toContain('for more than a year');
  });

  it('says nothing of what may come once the experiment has ended', () => {
    for (const recentPlayers of [0, 1, 350]) {
      const small = simulate(experiment, { a: 4000, b: 4000 }, payers(1.2));
      for (const arm of Object.values(small)) arm.recentPlayers = recentPlayers;
      const running = report(experiment, small);
      expect(JSON.stringify(running)).toContain('today’s');
      const ended = finalReport(running);
      expect(JSON.stringify(ended)).not.toMatch(/today’s/i);
      expect(ended.verdict).toMatch(/ Not proven\.$/);
      expect(ended.metrics[0]?.arms[1]?.comparison?.sentence).toBe(ended.verdict);
    }
  });

  it('is not changed by a whale', () => {
    const whale = mergeExperimentSums(
      better,
      simulate(experiment, { a: 1 }, () => figures({ since: spent(50_000) })),
    );
    const { state } = compared(whale);
    expect(state).toBe('higher');
    expect(report(experiment, whale).metrics[0]?.capped?.players).toBeGreaterThan(0);
  });
});

describe('gates', () => {
  const experiment = testExperiment();

  it('hide the result where the arms do not have the players of their weights', () => {
    const sums = simulate(experiment, { a: 3000, b: 2500 }, payers(2));
    const { gates, verdict, metrics, sampleRatio } = report(experiment, sums);
    expect(sampleRatio.isMismatch).toBe(true);
    expect(gates.map(({ gate }) => gate)).toEqual(['sample_ratio']);
    expect(verdict).toContain('a has 3,000 instead of about 2,750');
    expect(metrics[0]?.arms[1]?.comparison).toMatchObject({
      ...{ state: 'sample_ratio_mismatch', interval: null, difference: null, relativeInterval: null },
    });
    expect(metrics[0]).toMatchObject({ capped: null, arms: [{ mean: null }, { mean: null }] });
  });

  it('know unequal weights', () => {
    const variants = [
      { variantId: 'a', name: 'A', weight: 6 },
      { variantId: 'b', name: 'B', weight: 5 },
    ];
    const weighted = testExperiment({ variants });
    const sums = simulate(weighted, { a: 3000, b: 2500 }, payers());
    expect(report(weighted, sums).gates).toEqual([]);
  });

  it('give no verdict on fewer than 100 players or 30 payers', () => {
    const few = simulate(experiment, { a: 99, b: 99 }, payers(9, 0.9));
    expect(compared(few)).toMatchObject({ state: 'too_few', interval: null, difference: null });
    expect(report(experiment, few).verdict).toBe(
      'Too few players for a verdict: a has 99 of 100 players; b has 99 of 100 players.',
    );
    const poor = simulate(experiment, { a: 2000, b: 2000 }, payers(9, 0.01));
    expect(compared(poor).state).toBe('too_few');
    expect(report(experiment, poor).gates[0]?.sentence).toMatch(/a has \d+ of 30 with a purchase/);
  });

  it('warn of players who saw two arms, from one percent on', () => {
    const sums = simulate(experiment, { a: 1000, b: 1000 }, payers());
    const [arm] = Object.values(sums);
    if (arm === undefined) throw new Error('there are no arms');
    arm.twoArms = 19;
    expect(report(experiment, sums).gates).toEqual([]);
    arm.twoArms = 20;
    const [gate] = report(experiment, sums).gates;
    expect(gate).toMatchObject({ gate: 'two_arms', isStopping: false });
    expect(gate?.sentence).toContain('20 players (1%)');
  });

  it('name the publication that changed an arm', () => {
    const sums = simulate(experiment, { a: 1000, b: 1000 }, payers());
    const armChanges = [{ version: 12, publishedOn: '2026-10-09', entries: ['value:jump_height'] }];
    const { gates } = report(experiment, sums, { armChanges });
    expect(gates[0]).toMatchObject({ gate: 'arm_changed', isStopping: false });
    expect(gates[0]?.sentence).toContain('version 12 on 2026-10-09 (value:jump_height)');
  });
});

describe('several comparisons', () => {
  it('share the risk of a false verdict: more arms make wider intervals', () => {
    const two = testExperiment();
    const four = testExperiment({
      variants: ['a', 'b', 'c', 'd'].map((id) => ({ variantId: id, name: id.toUpperCase(), weight: 1 })),
      plan: { smallestEffect: { percent: 5 }, players: 20_000, days: 30 },
    });
    const sums = simulate(four, { a: 2000, b: 2000, c: 2000, d: 2000 }, payers());
    const width = (of: ReturnType<typeof compared>) => (of.interval?.high ?? 0) - (of.interval?.low ?? 0);
    expect(width(compared(sums, four))).toBeGreaterThan(1.08 * width(compared(sums, two)));
  });

  it('never show an interval that contradicts the verdict', () => {
    const experiment = testExperiment({
      metrics: { primary: REVENUE, secondary: [CONVERSION, SESSIONS, PER_PAYER], guardrails: [] },
    });
    for (let seed = 1; seed <= 10; seed++) {
      const sums = simulate(experiment, { a: 1500, b: 1500 }, payers(1 + seed / 10), seed);
      for (const { arms } of report(experiment, sums).metrics) {
        for (const { comparison } of arms) {
          if (comparison === null || comparison.interval === null) continue;
          const { interval, relativeInterval, state } = comparison;
          for (const { low, high } of relativeInterval === null ? [interval] : [interval, relativeInterval]) {
            expect({ state, low: low >= 0, high: high <= 0 }).toEqual({
              ...{ state, low: state === 'higher' || low === 0, high: state === 'lower' || high === 0 },
            });
          }
        }
      }
    }
  });
});

describe('what players did before', () => {
  it('narrows the interval, and players who were new stay a stratum of their own', () => {
    const experiment = testExperiment();
    const life = (isKnown: boolean) => (_: string, random: () => number) => {
      const habit = random() < 0.5 ? 10 * random() : 0;
      const isNew = random() < 0.3;
      return figures({
        since: spent(habit === 0 ? 0 : habit + random()),
        ...(isKnown && !isNew ? { isNew, before: spent(habit) } : {}),
      });
    };
    const width = (sums: ExperimentSums) => {
      const { interval } = compared(sums);
      return (interval?.high ?? 0) - (interval?.low ?? 0);
    };
    const known = width(simulate(experiment, { a: 2000, b: 2000 }, life(true)));
    const unknown = width(simulate(experiment, { a: 2000, b: 2000 }, life(false)));
    expect(known).toBeLessThan(0.75 * unknown);
  });
});

describe('guardrails', () => {
  const guarded = testExperiment({
    metrics: {
      primary: REVENUE,
      secondary: [],
      guardrails: [{ metric: SESSIONS, worse: 'lower', marginPercent: 5 }],
    },
  });
  const sessions = (ofB: number) => (variantId: string, random: () => number) => {
    const { since } = payers()(variantId, random);
    const mean = variantId === 'b' ? ofB : 10;
    return figures({ since: { ...since, sessions: Math.round(mean * (0.5 + random())) } });
  };

  it.each([
    ['safe', 10, /is not lower by more than 5%\. Proven\./],
    ['breached', 8, /is lower by more than 5%\. Proven\./],
  ])('are %s with %d sessions instead of 10', (state, ofB, words) => {
    const sums = simulate(guarded, { a: 3000, b: 3000 }, sessions(ofB));
    const { metrics, verdict } = report(guarded, sums);
    const comparison = metrics[1]?.arms[1]?.comparison;
    expect(comparison?.guardrail?.state).toBe(state);
    expect(comparison?.sentence).toMatch(words);
    expect(verdict.includes('lower by more than 5%')).toBe(state === 'breached');
  });
});

describe('the planned end', () => {
  it('has an interval for one look, which is narrower, and no other day has', () => {
    const experiment = testExperiment({ plan: { smallestEffect: { percent: 10 }, players: 6000, days: 30 } });
    const sums = simulate(experiment, { a: 3000, b: 3000 }, payers());
    expect(compared(sums, experiment).plannedEndInterval).toBeNull();
    const ended = report(experiment, sums, { plannedEnd: sums }).metrics[0]?.arms[1]?.comparison;
    const width = (interval: { low: number; high: number } | null | undefined) =>
      interval === null || interval === undefined ? 0 : interval.high - interval.low;
    expect(width(ended?.plannedEndInterval)).toBeGreaterThan(0);
    expect(width(ended?.plannedEndInterval)).toBeLessThan(0.75 * width(ended?.relativeInterval));
  });
});

describe('erased players', () => {
  it('stay in the sums, and the report says how many they are', () => {
    const experiment = testExperiment();
    const all = simulate(experiment, { a: 1000, b: 1000 }, payers());
    const kept = simulate(experiment, { a: 40 }, payers(), 7);
    for (const arm of Object.values(kept)) arm.erased = arm.players;
    const { arms, metrics } = report(experiment, mergeExperimentSums(all, kept));
    expect(arms.map(({ players, erasedPlayers }) => [players, erasedPlayers])).toEqual([
      [1040, 40],
      [1000, 0],
    ]);
    expect(metrics[0]?.arms[0]?.players).toBe(1040);
  });
});

it('reports variants with the names of what every object has', () => {
  const variants = ['constructor', 'toString'].map((variantId) => ({ variantId, name: '', weight: 1 }));
  const experiment = testExperiment({ variants });
  const sums = simulate(experiment, { constructor: 200, toString: 200 }, payers());
  const { arms } = report(experiment, mergeExperimentSums(sums, sums));
  expect(arms.map(({ players }) => players)).toEqual([400, 400]);
  expect(report(experiment, {}).arms.map(({ players }) => players)).toEqual([0, 0]);
});

it('reports an experiment without players', () => {
  const experiment = testExperiment({
    metrics: { primary: PER_PAYER, secondary: [REVENUE], guardrails: [] },
  });
  const { verdict, arms } = report(experiment, {});
  expect(arms.map(({ players }) => players)).toEqual([0, 0]);
  expect(verdict).toContain('Too few players');
});
