import type { DataOf, Schemas } from '../api/client.js';
import { formatCount, formatShare } from './format.js';

export type Report = Schemas['ExperimentReport'];
export type MetricReport = Report['metrics'][number];
export type ArmMetric = Schemas['ExperimentArm'];
export type Exploration = DataOf<'exploreExperiment'>;
type Metric = MetricReport['metric'];

/** In all arms together; a dash before the first report. */
export function playersOf(report: Report | null): string {
  return report === null ? '–' : formatCount(report.arms.reduce((sum, { players }) => sum + players, 0));
}

/** A difference that is drawn: of a share in points, else relative to the control. */
export type DrawnInterval = { name: string; low: number; high: number; value: number };

type Difference = Pick<
  NonNullable<ArmMetric['comparison']>,
  'difference' | 'interval' | 'relative' | 'relativeInterval'
>;

/** Undefined without an interval. */
function drawnOf(
  name: string,
  { difference, interval, relative, relativeInterval }: Difference,
  metric: Metric,
): DrawnInterval | undefined {
  const isPoints = metric.kind === 'share' || relativeInterval === null;
  const drawn = isPoints ? interval : relativeInterval;
  const value = isPoints ? difference : relative;
  return drawn === null || value === null ? undefined : { name, ...drawn, value };
}

/** Only arms with an interval. */
export function drawnIntervals({ metric, arms }: MetricReport): DrawnInterval[] {
  return arms.flatMap(
    ({ variantId, comparison }) => (comparison && drawnOf(variantId, comparison, metric)) ?? [],
  );
}

/** The groups of an exploration, and in each the arms with an interval. */
export function exploredIntervals({
  metric,
  groups,
}: Exploration): { name: string; players: number; intervals: DrawnInterval[] }[] {
  return groups.map((group) => ({
    name: group.title,
    players: group.players,
    intervals: group.arms.slice(1).flatMap((arm) => drawnOf(arm.variantId, arm, metric) ?? []),
  }));
}

/** One axis for all intervals of a metric, with zero on it and some room at both ends. */
export type Axis = { low: number; high: number };

export function axisOf(intervals: readonly DrawnInterval[]): Axis {
  const low = Math.min(0, ...intervals.map((interval) => interval.low));
  const high = Math.max(0, ...intervals.map((interval) => interval.high));
  const room = (high - low || 1) * 0.08;
  return { low: low - room, high: high + room };
}

/** Where a value lies on the axis, from 0 to 100. */
export function placeOf(value: number, { low, high }: Axis): number {
  return (100 * (value - low)) / (high - low);
}

/** `+1.2 points` of a share, else `+1.2%`; as many digits as the sentences of the service have. */
export function changeInWords(value: number, isShare: boolean): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  const size = Math.abs(value) * 100;
  const digits = size < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 };
  return `${sign}${size.toLocaleString('en-US', digits)}${isShare ? ' points' : '%'}`;
}

/** The mean of an arm: a share, or a number. */
export function meanInWords({ metric }: MetricReport, mean: number | null): string {
  if (mean === null) return '–';
  return metric.kind === 'share' ? formatShare(mean) : fourDigits(mean);
}

export function fourDigits(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

/** Why a run is a former one. */
export function formerInWords({
  experiment: { seed },
  publishedSeed,
}: Pick<DataOf<'getExperiment'>, 'publishedSeed'> & { experiment: { seed: string } }): string {
  return publishedSeed === null
    ? 'Not in the published version any more.'
    : `The run with seed ${seed}: the published version has this experiment with seed ${publishedSeed}.`;
}

/** Tells runs of the same experiment apart; the seed of a hold-out is its percent. */
export function runInWords({ experimentId, seed }: { experimentId: string; seed: string }): string {
  return experimentId.startsWith('offer:')
    ? `${experimentId}, ${seed}% held out`
    : `${experimentId}, seed ${seed}`;
}

/** Whether its sentences have a one-sided bound, unlike the intervals that are drawn. */
export function isGuarded({ role, arms }: MetricReport): boolean {
  return role === 'guardrail' && arms.some(({ comparison }) => comparison?.guardrail != null);
}
