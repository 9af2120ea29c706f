import type { Experiment } from './document.js';

/** What an experiment is measured by, as the form shows it. */
export type Metric = Experiment['metrics']['primary'];
export type Measure = Extract<Metric, { kind: 'sum' }>['sum'];
export type Guardrail = Experiment['metrics']['guardrails'][number];

export const METRICS = [
  { value: 'converted', label: 'Conversion: players who buy' },
  { value: 'retained', label: 'Retention: players who come back' },
  { value: 'event', label: 'Players with an event of a type' },
  { value: 'sum', label: 'A sum per player' },
  { value: 'ratio', label: 'A sum divided by another' },
] as const;
export type MetricChoice = (typeof METRICS)[number]['value'];

export const MEASURES = [
  { value: 'revenue', label: 'Revenue' },
  { value: 'purchases', label: 'Purchases' },
  { value: 'payers', label: 'Payers' },
  { value: 'sessions', label: 'Sessions' },
  { value: 'minutes', label: 'Minutes of play' },
  { value: 'adImpressions', label: 'Ad impressions' },
  { value: 'events', label: 'Events of a type' },
] as const;
export type MeasureChoice = (typeof MEASURES)[number]['value'];

export const RETENTION_DAYS = [1, 3, 7, 14, 28] as const;

export function choiceOf(metric: Metric): MetricChoice {
  return metric.kind === 'share' ? metric.of : metric.kind;
}

/** A metric to begin with. */
export function metricOf(choice: MetricChoice, eventType = ''): Metric {
  switch (choice) {
    case 'converted':
      return { kind: 'share', of: 'converted' };
    case 'retained':
      return { kind: 'share', of: 'retained', day: 7 };
    case 'event':
      return { kind: 'share', of: 'event', eventType };
    case 'sum':
      return { kind: 'sum', sum: measureOf('revenue') };
    case 'ratio':
      return { kind: 'ratio', sum: measureOf('revenue'), per: measureOf('payers') };
  }
}

export function measureOf(choice: MeasureChoice, eventType = ''): Measure {
  switch (choice) {
    case 'revenue':
      return { of: 'revenue', currency: null };
    case 'events':
      return { of: 'events', eventType };
    default:
      return { of: choice };
  }
}

/** Whether a change of the metric can be said in points. */
export function isShare(metric: Metric): boolean {
  return metric.kind === 'share';
}

const USUAL: readonly Metric[] = [
  { kind: 'sum', sum: { of: 'revenue', currency: null } },
  ...[7, 1, 28].map((day) => ({ kind: 'share', of: 'retained', day }) as Metric),
  { kind: 'share', of: 'converted' },
  ...(['sessions', 'minutes', 'purchases', 'adImpressions'] as const).map(
    (of): Metric => ({ kind: 'sum', sum: { of } }),
  ),
];

/** The next metric that is worth a look and is not listed yet: each may be listed once. */
export function furtherMetric({ primary, secondary, guardrails }: Experiment['metrics']): Metric {
  const listed = [primary, ...secondary, ...guardrails.map(({ metric }) => metric)];
  const taken = new Set(listed.map((metric) => JSON.stringify(metric)));
  return USUAL.find((metric) => !taken.has(JSON.stringify(metric))) ?? metricOf('event');
}
