import {
  type MetricEntry,
  type MetricsEntry,
  metricKey,
  metricsOf,
} from '../../../personalisation/document/parts/experiment-metrics.js';
import type { RateTable } from '../../reporting/exchange-rates.js';
import { metricValue, type PlayerFigures } from './figures.js';
import { addValue, type MetricSums, mergeMetricSums, noMetricSums } from './metric-sums.js';

/** All that is kept of the players of an arm. It names nobody. */
export type ArmSums = {
  players: number;
  /** Exposed on the last seven days. */
  recentPlayers: number;
  /** In another arm under an earlier seed. */
  twoArms: number;
  /** Erased since the start; their sums are as they were on that day. */
  erased: number;
  /** By metricKey. */
  metrics: Record<string, MetricSums>;
};

/** By variant. */
export type ExperimentSums = Record<string, ArmSums>;

export const RECENT_DAYS = 7;

export function noArmSums(): ArmSums {
  return { players: 0, recentPlayers: 0, twoArms: 0, erased: 0, metrics: {} };
}

/** A metric with its key, which takes a while to write. */
export type KeyedMetric = Readonly<{ key: string; metric: MetricEntry }>;

export function keyedMetrics(metrics: MetricsEntry): KeyedMetric[] {
  return metricsOf(metrics).map((metric) => ({ key: metricKey(metric), metric }));
}

/** A player of an arm, with what the player did. */
export type CountedPlayer = Readonly<{ variantId: string; sawTwoArms: boolean; figures: PlayerFigures }>;

/** A variant may be called `constructor`, which every object has. */
export function armOf(sums: ExperimentSums, variantId: string): ArmSums | undefined {
  return Object.hasOwn(sums, variantId) ? sums[variantId] : undefined;
}

export function addPlayer(
  sums: ExperimentSums,
  { variantId, sawTwoArms, figures }: CountedPlayer,
  metrics: readonly KeyedMetric[],
  rates: RateTable | null,
): void {
  const arm = armOf(sums, variantId) ?? noArmSums();
  sums[variantId] = arm;
  arm.players++;
  if (figures.lastDay < RECENT_DAYS) arm.recentPlayers++;
  if (sawTwoArms) arm.twoArms++;
  for (const { key, metric } of metrics) {
    const value = metricValue(metric, figures, rates);
    if (value === undefined) continue;
    arm.metrics[key] ??= noMetricSums();
    addValue(arm.metrics[key], figures.isNew, value);
  }
}

/** The players of both, such as those who are there and those who were erased. */
export function mergeExperimentSums(one: ExperimentSums, other: ExperimentSums): ExperimentSums {
  const merged: ExperimentSums = { ...one };
  for (const [variantId, arm] of Object.entries(other)) {
    const before = armOf(merged, variantId);
    merged[variantId] = before === undefined ? arm : mergeArms(before, arm);
  }
  return merged;
}

function mergeArms(one: ArmSums, other: ArmSums): ArmSums {
  const metrics = { ...one.metrics };
  for (const [key, sums] of Object.entries(other.metrics)) {
    const before = metrics[key];
    metrics[key] = before === undefined ? sums : mergeMetricSums(before, sums);
  }
  return {
    players: one.players + other.players,
    recentPlayers: one.recentPlayers + other.recentPlayers,
    twoArms: one.twoArms + other.twoArms,
    erased: one.erased + other.erased,
    metrics,
  };
}
