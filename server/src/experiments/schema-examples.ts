import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { type ExperimentSums, GrowingSums, keyedMetrics } from './report/experiment-sums.js';
import { exploreGroups } from './report/exploration.js';
import { reportOf } from './report/report.js';
import type { Report } from './report/report-types.js';
import { groupTitle } from './report/words.js';

/** Examples for the API document. The report is made of invented players, so it is always one that the service could give. */

export const EXAMPLE_EXPERIMENT: ExperimentEntry = {
  experimentId: 'starter_price',
  name: 'Price of the starter pack',
  hypothesis: 'A cheaper first pack brings more payers.',
  when: null,
  coveragePercent: 100,
  seed: '1',
  variants: [
    { variantId: 'a', name: 'As it is', weight: 1 },
    { variantId: 'b', name: 'Cheaper', weight: 1 },
  ],
  metrics: { primary: { kind: 'share', of: 'converted' }, secondary: [], guardrails: [] },
  plan: { smallestEffect: { points: 1 }, players: 20_000, days: 28 },
  state: 'running',
};

export const EXAMPLE_REPORT: Report = reportOf({
  experiment: EXAMPLE_EXPERIMENT,
  ...{ from: '2026-10-18', to: '2026-11-14', days: 28 },
  sums: exampleSums({ a: { players: 1_000, payers: 40 }, b: { players: 1_000, payers: 48 } }),
  ...{ plannedEnd: undefined, armChanges: [] },
});

function exampleSums(arms: Record<string, { players: number; payers: number }>): ExperimentSums {
  const growing = new GrowingSums(keyedMetrics(EXAMPLE_EXPERIMENT.metrics), null);
  const nothing = { sessions: 0, playMs: 0, adImpressions: 0, purchases: 0, revenue: [], eventCounts: {} };
  for (const [variantId, { players, payers }] of Object.entries(arms)) {
    for (let n = 0; n < players; n++) {
      const since = { ...nothing, purchases: n < payers ? 1 : 0 };
      const figures = { isNew: true, lastDay: n % 28, activeOn: [], since, before: nothing, forecast: null };
      growing.add({ variantId, sawTwoArms: false, figures });
    }
  }
  return growing.sums;
}

export const EXAMPLE_PLAN = {
  arrivals: { atStart: 0, perDay: 900 },
  plans: [
    {
      metric: { kind: 'share' as const, of: 'retained' as const, day: 7 as const },
      ...{ title: 'Day 7 retention', state: 'measurable' as const, mean: 0.18, players: 43_000, days: 55 },
      measurableEffect: 0.0057,
      sentence:
        'With 900 new players a day you need 55 days (43,000 players) to see +1 point of day 7 retention.',
    },
  ],
};

export const EXAMPLE_EXPLORATION = {
  ...{ by: 'payer' as const, segment: null },
  ...{ metric: EXAMPLE_EXPERIMENT.metrics.primary, title: 'Conversion' },
  sentence: 'This is exploration. Among many groups one differs by chance: it is no verdict.',
  ...{ examined: 2_000, isComplete: true },
  groups: exploreGroups(
    new Map([
      ['no', exampleSums({ a: { players: 950, payers: 33 }, b: { players: 940, payers: 41 } })],
      ['yes', exampleSums({ a: { players: 50, payers: 7 }, b: { players: 60, payers: 7 } })],
    ]),
    EXAMPLE_EXPERIMENT.metrics.primary,
    EXAMPLE_EXPERIMENT.variants,
    EXAMPLE_EXPERIMENT.plan?.players,
  ).map((group) => ({ title: groupTitle('payer', group), ...group })),
};
