import { describe, expect, it } from 'vitest';
import { type MetricSums, noMetricSums } from '../../../src/features/experiments/report/metric-sums.js';
import { LONGEST_DAYS, type PlanInput, planOf } from '../../../src/features/experiments/report/plan.js';
import {
  type MetricEntry,
  metricKey,
} from '../../../src/personalisation/document/parts/experiment-metrics.js';
import { figures, RETENTION_7, REVENUE, simulate, spent, testExperiment } from './support/simulated-sums.js';

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
    const perArm = (2 * share * (1 - share) * (3.0276 + 0.8416) ** 2) / 0.01 ** 2;
    expect(plan({}).players).toBeGreaterThan(1.99 * perArm);
    expect(plan({}).players).toBeLessThan(2.01 * perArm);
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
