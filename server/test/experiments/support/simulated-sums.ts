import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import {
  type ExperimentSums,
  GrowingSums,
  keyedMetrics,
} from '../../../src/experiments/report/experiment-sums.js';
import type { PlayerFigures, Totals } from '../../../src/experiments/report/figures.js';

/** Numbers from 0 to 1 that are the same at every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const NOTHING: Totals = {
  ...{ sessions: 0, playMs: 0, adImpressions: 0, purchases: 0 },
  ...{ revenue: [], eventCounts: {} },
};

export function figures(overrides: Partial<PlayerFigures> = {}): PlayerFigures {
  return {
    isNew: true,
    lastDay: 30,
    activeOn: [],
    since: NOTHING,
    before: NOTHING,
    forecast: null,
    ...overrides,
  };
}

export function spent(amount: number, currency = 'USD'): Totals {
  const revenue = amount === 0 ? [] : [{ day: '2026-11-01', amounts: { [currency]: amount.toFixed(2) } }];
  return { ...NOTHING, sessions: 3, purchases: amount === 0 ? 0 : 1, revenue };
}

export const CONVERSION = { kind: 'share', of: 'converted' } as const;
export const RETENTION_7 = { kind: 'share', of: 'retained', day: 7 } as const;
export const REVENUE = { kind: 'sum', sum: { of: 'revenue', currency: 'USD' } } as const;
export const SESSIONS = { kind: 'sum', sum: { of: 'sessions' } } as const;
export const PER_PAYER = { kind: 'ratio', sum: REVENUE.sum, per: { of: 'payers' } } as const;

export function testExperiment(overrides: Partial<ExperimentEntry> = {}): ExperimentEntry {
  return {
    ...{
      experimentId: 'price_test',
      name: 'Price',
      hypothesis: '',
      when: null,
      coveragePercent: 100,
      seed: 's',
    },
    variants: [
      { variantId: 'a', name: 'A', weight: 1 },
      { variantId: 'b', name: 'B', weight: 1 },
    ],
    metrics: { primary: REVENUE, secondary: [], guardrails: [] },
    plan: null,
    state: 'running',
    ...overrides,
  };
}

/** Players of each arm, as `life` says. */
export function simulate(
  experiment: ExperimentEntry,
  players: Readonly<Record<string, number>>,
  life: (variantId: string, random: () => number) => PlayerFigures,
  seed = 1,
): ExperimentSums {
  const random = randomNumbers(seed);
  const growing = new GrowingSums(keyedMetrics(experiment.metrics), null);
  for (const [variantId, n] of Object.entries(players)) {
    for (let i = 0; i < n; i++) {
      growing.add({ variantId, sawTwoArms: false, figures: life(variantId, random) });
    }
  }
  return growing.sums;
}
