import type { Interval } from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { metricKey } from '../../decide/document/parts/experiment-metrics.js';
import { type ArmWeights, compareFamily } from './compare-arms.js';
import { estimateArms } from './estimates.js';
import { armOf, type ExperimentSums, mergeExperimentSums } from './experiment-sums.js';
import { countsOf, type MetricSums, noMetricSums } from './metric-sums.js';
import { roundedInterval, significant } from './rounding.js';

/** `other`: smaller groups together. `unknown`: the value was not known at the exposure. */
export type GroupKind = 'value' | 'other' | 'unknown';

/** An arm in a group of players. Without a verdict: groups are looked at to find the next question, not to answer this one. */
export type ExploredArm = Readonly<{
  variantId: string;
  players: number;
  positive: number;
  mean: number | null;
  /** Null for the control, and with too few players. */
  difference: number | null;
  interval: Interval | null;
  relative: number | null;
  relativeInterval: Interval | null;
}>;

export type ExploredGroup = Readonly<{
  kind: GroupKind;
  value: string | null;
  players: number;
  arms: ExploredArm[];
}>;

/** More bars cannot be compared by eye, and each makes all intervals wider. */
export const SHOWN_GROUPS = 8;

/** The sums of each group, by its value; null: not known. */
export type GroupSums = ReadonlyMap<string | null, ExperimentSums>;

/** The arms in each group, the largest group first. The intervals hold for all groups and arms together. */
export function exploreGroups(
  groups: GroupSums,
  metric: MetricEntry,
  variants: ArmWeights,
  plannedPlayers: number | undefined,
): ExploredGroup[] {
  const shown = shownGroups(groups).map(({ sums, ...group }) => ({
    ...group,
    arms: variants.map(({ variantId }) => metricSumsOf(sums, variantId, metric)),
  }));
  const family = shown.map(({ arms }) => ({ metric, arms }));
  const comparisons = compareFamily(family, variants, plannedPlayers);
  return shown.map(({ arms, ...group }, place) => {
    const { estimates } = estimateArms(metric, arms);
    const first = place * (variants.length - 1) - 1;
    return {
      ...group,
      arms: variants.map(({ variantId }, index): ExploredArm => {
        const found = index === 0 ? undefined : comparisons[first + index];
        const { effect = null, relative = null, interval = null, relativeInterval = null } = found ?? {};
        const mean = estimates[index]?.mean;
        return {
          ...{ variantId, ...countsOf(arms[index] ?? noMetricSums()) },
          mean: mean === undefined || !Number.isFinite(mean) ? null : significant(mean),
          difference: interval === null || effect === null ? null : significant(effect.value),
          interval: interval && roundedInterval(interval),
          relative: interval === null || relative === null ? null : significant(relative.value),
          relativeInterval: relativeInterval && roundedInterval(relativeInterval),
        };
      }),
    };
  });
}

type Shown = Readonly<{ kind: GroupKind; value: string | null; players: number; sums: ExperimentSums }>;

/** The largest ones, then the others as one, then players whose value is not known. */
function shownGroups(groups: GroupSums): Shown[] {
  const known = [...groups]
    .flatMap(([value, sums]): Shown[] =>
      value === null ? [] : [{ kind: 'value', value, players: playersOf(sums), sums }],
    )
    .sort((a, b) => b.players - a.players || ((a.value ?? '') < (b.value ?? '') ? -1 : 1));
  const rest = known
    .slice(SHOWN_GROUPS)
    .reduce((sum, { sums }) => mergeExperimentSums(sum, sums), {} as ExperimentSums);
  const unknown = groups.get(null) ?? {};
  const named = [
    { kind: 'other', sums: rest },
    { kind: 'unknown', sums: unknown },
  ] as const;
  return [
    ...known.slice(0, SHOWN_GROUPS),
    ...named.flatMap(({ kind, sums }) => {
      const players = playersOf(sums);
      return players === 0 ? [] : [{ kind, value: null, players, sums }];
    }),
  ];
}

function playersOf(sums: ExperimentSums): number {
  return Object.values(sums).reduce((sum, { players }) => sum + players, 0);
}

function metricSumsOf(sums: ExperimentSums, variantId: string, metric: MetricEntry): MetricSums {
  return armOf(sums, variantId)?.metrics[metricKey(metric)] ?? noMetricSums();
}
