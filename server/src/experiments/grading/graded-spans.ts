import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';

/** The days of a hidden A/A experiment. It is looked at after each of them. */
export type GradedSpan = Readonly<{ kind: 'four_weeks' | 'week'; from: string; to: string }>;

const WEEKS = 4;

/** Every night: the last four weeks, and each of these weeks alone. */
export function gradedSpans(night: string): GradedSpan[] {
  return [
    { kind: 'four_weeks', from: dayBefore(night, 7 * WEEKS - 1), to: night },
    ...Array.from({ length: WEEKS }, (_, week) => ({
      kind: 'week' as const,
      from: dayBefore(night, 7 * week + 6),
      to: dayBefore(night, 7 * week),
    })),
  ];
}

/** The days of a span, first to last. */
export function daysOf({ from, to }: Pick<GradedSpan, 'from' | 'to'>): string[] {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: days }, (_, day) => dayBefore(from, -day));
}

export function dayBefore(day: string, days: number): string {
  return utcDay(Date.parse(day) - days * DAY_MS);
}

/**
 * One of each kind that the engine has: a share with a covariate and one without, a sum that is capped, a sum, and a ratio. Revenue is in
 * `currency`: null for the reporting currency, undefined where nobody has paid yet.
 */
export function gradedMetrics(currency: string | null | undefined): MetricEntry[] {
  return [
    { kind: 'share', of: 'converted' },
    { kind: 'share', of: 'retained', day: 1 },
    ...(currency === undefined ? [] : [{ kind: 'sum', sum: { of: 'revenue', currency } } as const]),
    { kind: 'sum', sum: { of: 'minutes' } },
    { kind: 'ratio', sum: { of: 'minutes' }, per: { of: 'sessions' } },
  ];
}
