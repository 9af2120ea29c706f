import type { MetricEntry, SumMeasureEntry } from '../decide/document/parts/experiment-metrics.js';
import type { DayColumns } from './report/player-history.js';

/** What has to be read for some metrics: no days, days of players who have bought something, or all days. */
export type FigureNeeds = Readonly<{
  days: 'none' | 'purchases' | 'all';
  /** Which columns of these days. */
  columns: readonly DayColumn[];
  retentionDays: readonly number[];
  eventTypes: readonly string[];
}>;

type DayColumn = Exclude<keyof DayColumns, 'day'>;

const COLUMN_OF: Readonly<Record<SumMeasureEntry['of'], DayColumn>> = {
  ...{ sessions: 'sessions', minutes: 'playMs', adImpressions: 'adImpressions', events: 'eventCounts' },
  ...{ revenue: 'revenue', purchases: 'purchases', payers: 'purchases' },
};

export function figureNeeds(metrics: readonly MetricEntry[]): FigureNeeds {
  const measures = metrics.flatMap(measuresOf);
  const retentionDays = metrics.flatMap((metric) =>
    metric.kind === 'share' && metric.of === 'retained' ? [metric.day] : [],
  );
  const eventTypes = new Set([...measures, ...metrics].flatMap(eventTypesOf));
  const columns = new Set(measures.map(({ of }) => COLUMN_OF[of]));
  if (eventTypes.size > 0) columns.add('eventCounts');
  if (metrics.some((metric) => metric.kind === 'share' && metric.of === 'converted'))
    columns.add('purchases');
  const isPaid = (column: DayColumn) => column === 'revenue' || column === 'purchases';
  return {
    days: columns.size === 0 ? 'none' : [...columns].every(isPaid) ? 'purchases' : 'all',
    columns: [...columns],
    retentionDays: [...new Set(retentionDays)],
    eventTypes: [...eventTypes],
  };
}

export function measuresOf(metric: MetricEntry): SumMeasureEntry[] {
  if (metric.kind === 'share') return [];
  return metric.kind === 'sum' ? [metric.sum] : [metric.sum, metric.per];
}

function eventTypesOf(of: MetricEntry | SumMeasureEntry): string[] {
  return 'eventType' in of ? [of.eventType] : [];
}
