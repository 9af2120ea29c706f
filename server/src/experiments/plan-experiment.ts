import { type MetricEntry, metricKey } from '../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { FAST_SAMPLE_SIZE, type PlayerSamples } from '../liveops/audiences/player-samples.js';
import { walkByIndex, withDedicatedConnection } from '../platform/db/dedicated-connection.js';
import type { Pool } from '../platform/db/pool.js';
import { chunksOf } from '../platform/lib/chunks.js';
import { DAY_MS, utcDay } from '../platform/lib/day.js';
import { findRateTable } from '../studio/money/rate-queries.js';
import { figureNeeds } from './figure-needs.js';
import { findFigures } from './figure-queries.js';
import { findNewPlayersPerDay, listPlannedPlayers } from './plan-queries.js';
import { GrowingSums } from './report/experiment-sums.js';
import { noMetricSums } from './report/metric-sums.js';
import { type Arrivals, type Plan, planOf, type SmallestEffect } from './report/plan.js';

/** `new`: only players who start while the experiment runs. */
export type Audience = 'all' | 'new';

export type PlanRequest = Readonly<{
  gameId: number;
  audience: Audience;
  coveragePercent: number;
  variants: readonly Readonly<{ variantId: string; weight: number }>[];
  metrics: readonly Readonly<{ metric: MetricEntry; effect: SmallestEffect }>[];
}>;

export type GamePlan = Readonly<{ arrivals: Arrivals; plans: (Plan & { metric: MetricEntry })[] }>;

const PLAYERS_PER_CHUNK = 500;
const EVERYBODY = 'sample';

/** Before anybody has written an experiment: the usual metrics with two arms. */
export function usualPlan(gameId: number, audience: Audience): PlanRequest {
  return {
    ...{ gameId, audience, coveragePercent: 100 },
    variants: ['a', 'b'].map((variantId) => ({ variantId, weight: 1 })),
    metrics: [
      { metric: { kind: 'share', of: 'converted' }, effect: { points: 1 } },
      { metric: { kind: 'share', of: 'retained', day: 7 }, effect: { points: 1 } },
      { metric: { kind: 'sum', sum: { of: 'revenue', currency: null } }, effect: { percent: 10 } },
    ],
  };
}

/** An experiment as it is written: the primary metric with the smallest effect of its plan, others with 10%. */
export function planRequestOf(
  { coveragePercent, variants, metrics, plan }: ExperimentEntry,
  gameId: number,
  audience: Audience,
): PlanRequest {
  const others = [...metrics.secondary, ...metrics.guardrails.map(({ metric }) => metric)];
  return {
    ...{ gameId, audience, coveragePercent, variants },
    metrics: [
      { metric: metrics.primary, effect: plan?.smallestEffect ?? { percent: 10 } },
      ...others.map((metric) => ({ metric, effect: { percent: 10 } })),
    ],
  };
}

/** How long an experiment would take, from what a sample of the game's players did. */
export async function planExperiment(
  pool: Pool,
  samples: PlayerSamples,
  { gameId, audience, coveragePercent, variants, metrics }: PlanRequest,
  nowMs: number,
): Promise<GamePlan> {
  const to = utcDay(nowMs - DAY_MS);
  const { players, ids } = await samples.of(gameId, FAST_SAMPLE_SIZE);
  return withDedicatedConnection(pool, async (connection) => {
    await walkByIndex(connection);
    const rates = await findRateTable(connection, gameId);
    const perDay = await findNewPlayersPerDay(connection, gameId, to);
    const keyed = metrics.map(({ metric }) => ({ metric, key: metricKey(metric) }));
    const needs = figureNeeds(metrics.map(({ metric }) => metric));
    const sample = new GrowingSums(keyed, rates);
    let recent = 0;
    for (const chunk of chunksOf(ids, PLAYERS_PER_CHUNK)) {
      const planned = await listPlannedPlayers(connection, chunk, to);
      recent += planned.filter(({ isRecent }) => isRecent).length;
      const exposed = planned.flatMap(({ playerId, day }) =>
        day === null ? [] : [{ playerId, day, exposedOn: day }],
      );
      for (const figures of await findFigures(connection, exposed, to, needs)) {
        if (figures === undefined || (audience === 'new' && !figures.isNew)) continue;
        sample.add({ variantId: EVERYBODY, sawTwoArms: false, figures });
      }
    }
    const atStart = audience === 'new' || ids.length === 0 ? 0 : Math.round((players * recent) / ids.length);
    const arrivals = { atStart, perDay };
    const plans = metrics.map(({ metric, effect }) => {
      const ofMetric = sample.sums[EVERYBODY]?.metrics[metricKey(metric)] ?? noMetricSums();
      return { metric, ...planOf({ metric, effect, sums: ofMetric, arrivals, coveragePercent, variants }) };
    });
    return { arrivals: { atStart, perDay: Math.round(perDay) }, plans };
  });
}
