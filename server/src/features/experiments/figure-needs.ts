import type {
  MetricEntry,
  SumMeasureEntry,
} from '../../personalisation/document/parts/experiment-metrics.js';

/** What has to be read for some metrics: no days, days of players who have bought something, or all days. */
export type FigureNeeds = Readonly<{
  days: 'none' | 'purchases' | 'all';
  retentionDays: readonly number[];
  eventTypes: readonly string[];
}>;

export function figureNeeds(metrics: readonly MetricEntry[]): FigureNeeds {
  const measures = metrics.flatMap(measuresOf);
  const isPaid = ({ of }: SumMeasureEntry) => of === 'revenue' || of === 'purchases' || of === 'payers';
  const needsPurchases =
    measures.some(isPaid) || metrics.some((metric) => metric.kind === 'share' && metric.of === 'converted');
  const retentionDays = metrics.flatMap((metric) =>
    metric.kind === 'share' && metric.of === 'retained' ? [metric.day] : [],
  );
  const eventTypes = new Set([...measures, ...metrics].flatMap(eventTypesOf));
  const needsAll = eventTypes.size > 0 || measures.some((measure) => !isPaid(measure));
  return {
    days: needsAll ? 'all' : needsPurchases ? 'purchases' : 'none',
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
