import type { Schemas } from '../api/client.js';
import { formatShare } from './format.js';

export type Report = Schemas['ExperimentReport'];
export type MetricReport = Report['metrics'][number];
export type ArmMetric = Schemas['ExperimentArm'];

/** The difference of an arm that is drawn: of a share in points, else relative to the control. */
export type DrawnInterval = { variantId: string; low: number; high: number; value: number };

/** Only arms with an interval. */
export function drawnIntervals({ metric, arms }: MetricReport): DrawnInterval[] {
  return arms.flatMap(({ variantId, comparison }) => {
    if (comparison === null) return [];
    const isShare = metric.kind === 'share' || comparison.relativeInterval === null;
    const interval = isShare ? comparison.interval : comparison.relativeInterval;
    const value = isShare ? comparison.difference : comparison.relative;
    return interval === null || value === null ? [] : [{ variantId, ...interval, value }];
  });
}

/** One axis for all arms of a metric, with zero on it and some room at both ends. */
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

/** `+1.2 points` of a share, else `+1.2%`. */
export function changeInWords(value: number, isShare: boolean): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  const size = formatShare(Math.abs(value));
  return `${sign}${isShare ? size.replace(/\s?%/, ' points') : size}`;
}

/** The mean of an arm: a share, or a number. */
export function meanInWords({ metric }: MetricReport, mean: number | null): string {
  if (mean === null) return '–';
  return metric.kind === 'share'
    ? formatShare(mean)
    : new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 }).format(mean);
}
