import type { Interval } from '@savepoint/statistics';
import type { MetricEntry, SumMeasureEntry } from '../../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import type { Explored } from '../group-queries.js';
import type { ComparisonState } from './compare-arms.js';
import type { ExploredGroup } from './exploration.js';

/** How metrics, groups and changes are said. */

/** `Day 7 retention`, `Revenue in USD per player`. */
export function metricTitle(metric: MetricEntry): string {
  switch (metric.kind) {
    case 'share':
      if (metric.of === 'retained') return `Day ${metric.day} retention`;
      return metric.of === 'converted' ? 'Conversion' : `Players with the event ${metric.eventType}`;
    case 'sum':
      return `${capital(measureName(metric.sum))} per player`;
    case 'ratio':
      return `${capital(measureName(metric.sum))} per ${divisorName(metric.per)}`;
  }
}

/** What an experiment is measured by, in the order of its report. */
export function titledMetrics({ metrics: { primary, secondary, guardrails } }: ExperimentEntry) {
  return [
    { title: metricTitle(primary), role: 'primary' as const },
    ...secondary.map((metric) => ({ title: metricTitle(metric), role: 'secondary' as const })),
    ...guardrails.map(({ metric }) => ({ title: metricTitle(metric), role: 'guardrail' as const })),
  ];
}

const YES_NO: Partial<Record<Explored, readonly [yes: string, no: string]>> = {
  payer: ['Had paid before', 'Had not paid'],
  new: ['New on that day', 'There before'],
  segment: ['In the segment at the exposure', 'Not in it'],
};

/** `Had paid before`; a country and a platform as they are. */
export function groupTitle(by: Explored, { kind, value }: Pick<ExploredGroup, 'kind' | 'value'>): string {
  if (kind === 'unknown') return 'Not known';
  if (kind === 'other' || value === null) return 'All others';
  const words = YES_NO[by];
  return words === undefined ? value : words[value === 'yes' ? 0 : 1];
}

/** Within a sentence. Names of event types stay as they are. */
export function titleInSentence(metric: MetricEntry): string {
  const title = metricTitle(metric);
  return title.charAt(0).toLowerCase() + title.slice(1);
}

function measureName(measure: SumMeasureEntry): string {
  switch (measure.of) {
    case 'revenue':
      return measure.currency === null ? 'revenue' : `revenue in ${measure.currency}`;
    case 'events':
      return `events ${measure.eventType}`;
    case 'adImpressions':
      return 'ad impressions';
    default:
      return measure.of;
  }
}

const DIVISORS: Partial<Record<SumMeasureEntry['of'], string>> = {
  sessions: 'session',
  payers: 'payer',
  minutes: 'minute',
  purchases: 'purchase',
  adImpressions: 'ad impression',
};

function divisorName(measure: SumMeasureEntry): string {
  return DIVISORS[measure.of] ?? measureName(measure);
}

/** `B earns between 1% less and 9% more per player.` */
export function rangeSentence(
  metric: MetricEntry,
  arm: string,
  { interval, relativeInterval }: { interval: Interval; relativeInterval: Interval | null },
): string {
  if (metric.kind === 'share') {
    return `${metricTitle(metric)} of ${arm} is ${range(interval, points, ['lower', 'higher'])}.`;
  }
  const [shown, write] = relativeInterval === null ? [interval, plain] : [relativeInterval, percent];
  if (metric.kind === 'ratio') {
    return `${metricTitle(metric)} of ${arm} is ${range(shown, write, ['lower', 'higher'])}.`;
  }
  const { sum } = metric;
  if (sum.of === 'revenue') {
    const inCurrency = sum.currency === null ? '' : ` in ${sum.currency}`;
    return `${arm} earns ${range(shown, write, ['less', 'more'])}${inCurrency} per player.`;
  }
  return `${arm} has ${range(shown, write, ['fewer', 'more'])} ${measureName(sum)} per player.`;
}

const PROOF: Record<ComparisonState, string> = {
  higher: 'Proven.',
  lower: 'Proven.',
  not_proven: 'Not proven.',
  too_few: 'Too few players.',
};

export function proofOf(state: ComparisonState): string {
  return PROOF[state];
}

type Directions = readonly [below: string, above: string];

/** `between 1% less and 9% more`, `between 2% and 9% more`. */
function range({ low, high }: Interval, write: (size: number) => string, [below, above]: Directions): string {
  const size = (value: number) => write(Math.abs(value));
  if (low >= 0) return `between ${size(low)} and ${size(high)} ${above}`;
  if (high <= 0) return `between ${size(high)} and ${size(low)} ${below}`;
  return `between ${size(low)} ${below} and ${size(high)} ${above}`;
}

/** 0.0123 is 1.2%. */
export function percent(value: number): string {
  return `${decimals(value * 100)}%`;
}

/** 0.0123 is 1.2 points. */
export function points(value: number): string {
  const text = decimals(value * 100);
  return `${text} ${text === '1' ? 'point' : 'points'}`;
}

function plain(value: number): string {
  return decimals(value);
}

/** One decimal; below 1 two digits that say something. */
function decimals(value: number): string {
  const digits = Math.abs(value) < 1 ? Number(value.toPrecision(2)) : Math.round(value * 10) / 10;
  return String(digits);
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function days(value: number): string {
  return value === 1 ? '1 day' : `${count(value)} days`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
