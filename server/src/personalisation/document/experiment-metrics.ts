import { currencyDecimals } from '../../lib/currencies.js';

/**
 * What an experiment is measured by. A metric is written as a short text, so that it fits into a document, a command and a table:
 *
 * - shares of players: `conversion`, `retention.d7`, `did:level_complete`
 * - sums per player: `revenue` (in the reporting currency), `revenue:USD`, `purchases`, `sessions`, `minutes`, `adImpressions`,
 *   `events`, `events:level_complete`
 * - ratios of two sums: `revenuePerSession`, `revenuePerPayer:USD`
 *
 * All of them follow from what the service stores per player and day. Nothing else is offered.
 */
export type Metric =
  | Readonly<{ kind: 'share'; of: Share }>
  | Readonly<{ kind: 'mean'; of: Quantity }>
  | Readonly<{ kind: 'ratio'; of: Quantity; per: 'session' | 'payer' }>;

export type Share =
  | Readonly<{ name: 'conversion' }>
  | Readonly<{ name: 'retention'; day: number }>
  | Readonly<{ name: 'did'; eventType: string }>;

/** `currency` null: the reporting currency. `eventType` null: all events. */
export type Quantity =
  | Readonly<{ name: 'revenue'; currency: string | null }>
  | Readonly<{ name: 'events'; eventType: string | null }>
  | Readonly<{ name: 'purchases' | 'sessions' | 'minutes' | 'adImpressions' }>;

export const RETENTION_DAYS: readonly number[] = [1, 3, 7, 14, 28];

/** The forms of a metric, for messages and help. */
export const METRIC_FORMS =
  'conversion, retention.d1, .d3, .d7, .d14 or .d28, did:<event type>, revenue, revenue:<currency>, purchases, sessions, minutes, adImpressions, events, events:<event type>, revenuePerSession, revenuePerPayer (both also with :<currency>)';

export const MAX_METRIC_LENGTH = 150;

const PLAIN: Readonly<Record<string, Metric>> = {
  conversion: { kind: 'share', of: { name: 'conversion' } },
  purchases: { kind: 'mean', of: { name: 'purchases' } },
  sessions: { kind: 'mean', of: { name: 'sessions' } },
  minutes: { kind: 'mean', of: { name: 'minutes' } },
  adImpressions: { kind: 'mean', of: { name: 'adImpressions' } },
};

/** Undefined for a text that is not a metric. */
export function parseMetric(text: string): Metric | undefined {
  if (text.length > MAX_METRIC_LENGTH) return undefined;
  if (Object.hasOwn(PLAIN, text)) return PLAIN[text];
  const day = /^retention\.d([1-9]\d?)$/.exec(text)?.[1];
  if (day !== undefined) {
    const isOffered = RETENTION_DAYS.includes(Number(day));
    return isOffered ? { kind: 'share', of: { name: 'retention', day: Number(day) } } : undefined;
  }
  const [, name, detail] = /^(\w+)(?::(.+))?$/.exec(text) ?? [];
  if (name === 'did') {
    return detail === undefined ? undefined : { kind: 'share', of: { name, eventType: detail } };
  }
  if (name === 'events') return { kind: 'mean', of: { name, eventType: detail ?? null } };
  return moneyMetric(name, detail);
}

export function isMetric(text: string): boolean {
  return parseMetric(text) !== undefined;
}

function moneyMetric(name: string | undefined, currency: string | undefined): Metric | undefined {
  if (currency !== undefined && currencyDecimals(currency) === undefined) return undefined;
  const of = { name: 'revenue', currency: currency ?? null } as const;
  if (name === 'revenue') return { kind: 'mean', of };
  if (name === 'revenuePerSession') return { kind: 'ratio', of, per: 'session' };
  return name === 'revenuePerPayer' ? { kind: 'ratio', of, per: 'payer' } : undefined;
}
