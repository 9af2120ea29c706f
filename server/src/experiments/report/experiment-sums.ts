import {
  type MetricEntry,
  type MetricsEntry,
  metricKey,
  metricsOf,
} from '../../decide/document/parts/experiment-metrics.js';
import { cell } from '../../platform/lib/columns.js';
import type { RateTable } from '../../studio/money/exchange-rates.js';
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

/** `ofMetrics`: in the order of the metrics; those without a value are missing. */
type OpenArm = Readonly<{ arm: ArmSums; ofMetrics: (MetricSums | undefined)[] }>;

/** Sums while players are added to them. */
export class GrowingSums {
  readonly sums: ExperimentSums;
  readonly #metrics: readonly KeyedMetric[];
  readonly #rates: RateTable | null;
  /** By variant. The sums of its metrics are found by their place: to find each by its long key takes longer than to add a value. */
  readonly #arms = new Map<string, OpenArm>();

  /** `sums`: of players before. */
  constructor(metrics: readonly KeyedMetric[], rates: RateTable | null, sums: ExperimentSums = {}) {
    this.sums = sums;
    this.#metrics = metrics;
    this.#rates = rates;
  }

  add({ variantId, sawTwoArms, figures }: CountedPlayer): void {
    const { arm, ofMetrics } = this.#arms.get(variantId) ?? this.#open(variantId);
    arm.players++;
    if (figures.lastDay < RECENT_DAYS) arm.recentPlayers++;
    if (sawTwoArms) arm.twoArms++;
    for (let place = 0; place < this.#metrics.length; place++) {
      const { key, metric } = cell(this.#metrics, place);
      const value = metricValue(metric, figures, this.#rates);
      if (value === undefined) continue;
      let ofMetric = ofMetrics[place];
      if (ofMetric === undefined) {
        ofMetric = arm.metrics[key] ??= noMetricSums();
        ofMetrics[place] = ofMetric;
      }
      addValue(ofMetric, figures.isNew, value);
    }
  }

  #open(variantId: string) {
    const arm = armOf(this.sums, variantId) ?? noArmSums();
    this.sums[variantId] = arm;
    const opened: OpenArm = { arm, ofMetrics: [] };
    this.#arms.set(variantId, opened);
    return opened;
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
