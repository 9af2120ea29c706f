import { readFileSync } from 'node:fs';
import {
  absoluteEffect,
  criticalValue,
  normalShare,
  shareEstimate,
  withSafeErrors,
} from '@savepoint/statistics';
import { describe, expect, it } from 'vitest';
import { type MetricEntry, metricKey } from '../../../src/decide/document/parts/experiment-metrics.js';
import { type MetricSums, noMetricSums } from '../../../src/experiments/report/metric-sums.js';
import { LONGEST_DAYS, type PlanInput, planOf } from '../../../src/experiments/report/plan.js';
import { figures, RETENTION_7, REVENUE, simulate, spent, testExperiment } from '../support/simulated-sums.js';

const experiment = testExperiment({
  metrics: { primary: RETENTION_7, secondary: [REVENUE], guardrails: [] },
});
/** A fifth comes back on day 7; 2% pay, very different amounts. */
const sums = simulate(experiment, { a: 10_000 }, (_, random) =>
  figures({
    activeOn: random() < 0.2 ? [7] : [],
    since: spent(random() < 0.02 ? Math.exp(4 * random()) : 0),
  }),
);

function sumsOf(metric: MetricEntry): MetricSums {
  return sums.a?.metrics[metricKey(metric)] ?? noMetricSums();
}

function plan(overrides: Partial<PlanInput>) {
  const metric = overrides.metric ?? RETENTION_7;
  return planOf({
    metric,
    effect: { points: 1 },
    sums: sumsOf(metric),
    arrivals: { atStart: 0, perDay: 900 },
    coveragePercent: 100,
    variants: experiment.variants,
    ...overrides,
  });
}

const DOCUMENTATION = readFileSync(new URL('../../../../docs/experiments.md', import.meta.url), 'utf8');
const CONVERTED = { kind: 'share', of: 'converted' } as const;

/** A game in which exactly this share of 10,000 players converts. */
function of(share: number): Pick<PlanInput, 'metric' | 'sums'> {
  const converting = testExperiment({ metrics: { primary: CONVERTED, secondary: [], guardrails: [] } });
  let player = 0;
  const sums = simulate(converting, { a: 10_000 }, () =>
    figures({ since: spent(player++ < share * 10_000 ? 1 : 0) }),
  );
  return { metric: CONVERTED, sums: sums.a?.metrics[metricKey(CONVERTED)] ?? noMetricSums() };
}

function variantsOf(weights: readonly number[]) {
  return weights.map((weight, at) => ({ variantId: `v${at}`, weight }));
}

/** How often the effect is proven on the last day, by the error that verdicts take. */
function powerOf(
  share: number,
  raised: number,
  players: number,
  [ofControl = 1, ofArm = 1]: number[],
): number {
  const control = (players * ofControl) / (ofControl + ofArm);
  const arm = players - control;
  const estimates = [
    shareEstimate({ count: share * control, players: control }),
    shareEstimate({ count: raised * arm, players: arm }),
  ] as const;
  const needed =
    criticalValue(players, { tunedTo: players }) *
    absoluteEffect(...withSafeErrors(...estimates)).standardError;
  return normalShare((raised - share - needed) / absoluteEffect(...estimates).standardError);
}

describe('a plan', () => {
  it('says how many days the smallest effect takes', () => {
    const { state, days, players, sentence } = plan({});
    expect(state).toBe('measurable');
    expect(days).toBe(Math.ceil((players ?? 0) / 900) + 7);
    expect(sentence).toBe(
      `With 900 new players a day you need ${days} days (${players?.toLocaleString('en-US')} players) to see +1 point of day 7 retention.`,
    );
  });

  it('agrees with the published formula: z of 3.03 and 0.84 for a share of a fifth', () => {
    const share = plan({}).mean ?? 0;
    const raised = share + 0.01;
    const variances = share * (1 - share) + raised * (1 - raised);
    const perArm = (variances * (3.0276 + 0.8416) ** 2) / 0.01 ** 2;
    expect(plan({}).players).toBeGreaterThan(1.99 * perArm);
    expect(plan({}).players).toBeLessThan(2.01 * perArm);
  });

  it.each([
    ...[0.04, 0.01].map((share) => ({ share, weights: [1, 1] })),
    ...[
      [19, 1],
      [1, 19],
    ].map((weights) => ({ share: 0.04, weights })),
  ])('finds +1 point of $share in 80% with the players it asks for ($weights)', ({ share, weights }) => {
    const { players } = plan({ ...of(share), variants: variantsOf(weights) });
    expect(powerOf(share, share + 0.01, players ?? 0, weights)).toBeCloseTo(0.8, 3);
  });

  it('asks for the players of the table in the documentation', () => {
    for (const [base, raised] of [
      [4, 5],
      [1, 2],
    ]) {
      const row = new RegExp(`^\\| ${base}% becomes ${raised}% \\| 1 \\| (\\d+) \\|`, 'm').exec(
        DOCUMENTATION,
      );
      // The variance of a sample of 10,000 is that much above p (1 − p).
      expect(plan(of((base ?? 0) / 100)).players).toBeCloseTo(Number(row?.[1]) * (1 + 1 / 9_999), -1);
    }
  });

  it('of revenue expects the arm to vary as much more as it earns more', () => {
    const size = (percent: number) =>
      (plan({ metric: REVENUE, effect: { percent } }).players ?? 0) * percent ** 2;
    expect(size(50) / size(0.001)).toBeCloseTo((1 + 1.5 ** 2) / 2, 2);
  });

  it('says plainly what cannot be measured, and what could be', () => {
    const { state, days, measurableEffect, sentence } = plan({
      ...{ metric: REVENUE, effect: { percent: 10 }, arrivals: { atStart: 0, perDay: 100 } },
    });
    expect(state).toBe('not_measurable');
    expect(days).toBeNull();
    expect(measurableEffect).toBeGreaterThan(0.1);
    expect(sentence).toMatch(
      /^You cannot measure \+10% of revenue in USD per player with this game: it has 100 new players a day\. In 180 days it would show \+[\d.]+%\.$/,
    );
  });

  it('says both in one unit', () => {
    const arrivals = { atStart: 0, perDay: 20 };
    expect(plan({ arrivals, effect: { percent: 10 } }).sentence).toMatch(
      / \+10% of day 7 .* show \+[\d.]+%\.$/,
    );
    expect(plan({ arrivals, effect: { points: 1 } }).sentence).toMatch(
      / \+1 point of .* show \+[\d.]+ points\.$/,
    );
  });

  it('can be measured in time where that effect is planned', () => {
    const { measurableEffect } = plan({ arrivals: { atStart: 0, perDay: 100 } });
    const again = plan({
      ...{ arrivals: { atStart: 0, perDay: 100 }, effect: { points: 100.1 * (measurableEffect ?? 0) } },
    });
    expect(again.state).toBe('measurable');
    expect(again.days).toBeGreaterThan(LONGEST_DAYS - 5);
  });

  it('takes longer with less coverage and with more arms, and less with players who are there already', () => {
    const arrivals = { atStart: 0, perDay: 5_000 };
    const { days } = plan({ arrivals });
    const variants = ['a', 'b', 'c'].map((variantId) => ({ variantId, weight: 1 }));
    expect(plan({ arrivals, coveragePercent: 50 }).days).toBeGreaterThan(1.5 * (days ?? 0));
    expect(plan({ arrivals, variants }).days).toBeGreaterThan(1.2 * (days ?? 0));
    expect(plan({ arrivals: { atStart: 20_000, perDay: 5_000 } }).days).toBeLessThan(days ?? 0);
  });

  it('is not made of too few players', () => {
    const few = plan({ sums: noMetricSums() });
    expect(few).toMatchObject({ state: 'too_few', players: null });
    expect(few.sentence).toContain('Too few players to plan day 7 retention');
  });

  it('needs players', () => {
    const none = plan({ arrivals: { atStart: 0, perDay: 0 } });
    expect(none).toMatchObject({ state: 'not_measurable', measurableEffect: null });
  });
});
