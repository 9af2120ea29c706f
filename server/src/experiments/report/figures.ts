import type { MetricEntry, SumMeasureEntry } from '../../decide/document/parts/experiment-metrics.js';
import { type Forecast, type ForecastName, forecastValue } from '../../decide/predict/forecast.js';
import { type DatedAmounts, type RateTable, reportAmounts } from '../../studio/money/exchange-rates.js';

/** What a player did on some whole UTC days. */
export type Totals = Readonly<{
  sessions: number;
  playMs: number;
  adImpressions: number;
  purchases: number;
  /** Refunds are taken off. */
  revenue: readonly DatedAmounts[];
  /** Of the event types that a metric asks for. */
  eventCounts: Readonly<Record<string, number>>;
}>;

/**
 * What is known of a player in an experiment. Days are UTC days: day 0 is the whole day of the exposure, so what a player did on it before
 * counts, too, in all arms alike.
 */
export type PlayerFigures = Readonly<{
  /** The player's first day was that of the exposure: there is nothing before it. Also if the player is activated later. */
  isNew: boolean;
  /** The last day that is over, as the number of days since day 0. */
  lastDay: number;
  /** Those of RETENTION_DAYS on which the player was active. */
  activeOn: readonly number[];
  since: Totals;
  /** The 28 days before the exposure. An activation comes later: on the days between, the arm may have worked already. */
  before: Totals;
  /** What the models expected at the exposure. Taken before the player was told the arm, so no arm can have changed it. */
  forecast: Forecast | null;
}>;

export const RETENTION_DAYS: readonly number[] = [1, 3, 7, 14, 28];
export const DAYS_BEFORE = 28;

const MINUTE_MS = 60_000;

/**
 * The value of a player, and a second one: of a ratio the divisor, else the same measure before the exposure. Undefined while the player has
 * none: day 7 is not over, or there is no reporting currency.
 */
type MeasuredValue = Readonly<{ value: number; other: number }>;

/** With what the models expected, where they said what this metric needs. */
export type MetricValue = MeasuredValue & Readonly<{ forecast?: number | undefined }>;

export function metricValue(
  metric: MetricEntry,
  figures: PlayerFigures,
  rates: RateTable | null,
): MetricValue | undefined {
  const measured = measuredValue(metric, figures, rates);
  const name = figures.forecast === null ? null : forecastFor(metric);
  if (measured === undefined || figures.forecast === null || name === null) return measured;
  const { value, other } = measured;
  return { value, other, forecast: forecastValue(figures.forecast, name) };
}

/**
 * The prediction that says most about a metric. Its unit does not matter, nor whether more of it means more or less of the metric: a regression
 * finds the factor. A ratio has no covariate.
 */
export function forecastFor(metric: MetricEntry): ForecastName | null {
  switch (metric.kind) {
    case 'ratio':
      return null;
    case 'share':
      return metric.of === 'converted' ? 'spend' : 'churn';
    case 'sum':
      if (metric.sum.of === 'revenue') return 'revenue';
      return metric.sum.of === 'purchases' || metric.sum.of === 'payers' ? 'spend' : 'churn';
  }
}

/** Whether the days before the exposure have the same measure. */
export function hasDaysBefore(metric: MetricEntry): boolean {
  return metric.kind !== 'ratio' && !(metric.kind === 'share' && metric.of === 'retained');
}

function measuredValue(
  metric: MetricEntry,
  figures: PlayerFigures,
  rates: RateTable | null,
): MeasuredValue | undefined {
  const { since, before } = figures;
  switch (metric.kind) {
    case 'share':
      return shareValue(metric, figures);
    case 'sum':
      return pair(measured(metric.sum, since, rates), measured(metric.sum, before, rates));
    case 'ratio':
      return pair(measured(metric.sum, since, rates), measured(metric.per, since, rates));
  }
}

function shareValue(
  metric: Extract<MetricEntry, { kind: 'share' }>,
  { since, before, lastDay, activeOn }: PlayerFigures,
): MeasuredValue | undefined {
  switch (metric.of) {
    case 'converted':
      return { value: oneIf(since.purchases > 0), other: oneIf(before.purchases > 0) };
    case 'retained':
      return lastDay < metric.day ? undefined : { value: oneIf(activeOn.includes(metric.day)), other: 0 };
    case 'event': {
      const did = ({ eventCounts }: Totals) => oneIf(countOf(eventCounts, metric.eventType) > 0);
      return { value: did(since), other: did(before) };
    }
  }
}

function measured(measure: SumMeasureEntry, totals: Totals, rates: RateTable | null): number | undefined {
  switch (measure.of) {
    case 'revenue':
      return money(measure.currency, totals.revenue, rates);
    case 'events':
      return countOf(totals.eventCounts, measure.eventType);
    case 'minutes':
      return totals.playMs / MINUTE_MS;
    case 'payers':
      return oneIf(totals.purchases > 0);
    default:
      return totals[measure.of];
  }
}

/** An event type may be called `constructor`, which every object has. */
function countOf(counts: Totals['eventCounts'], eventType: string): number {
  return Object.hasOwn(counts, eventType) ? (counts[eventType] ?? 0) : 0;
}

/** An amount without a rate is not in it. */
function money(
  currency: string | null,
  dated: readonly DatedAmounts[],
  rates: RateTable | null,
): number | undefined {
  if (currency === null) return rates === null ? undefined : Number(reportAmounts(rates, dated).amount);
  return dated.reduce((sum, { amounts }) => sum + Number(amounts[currency] ?? 0), 0);
}

function pair(value: number | undefined, other: number | undefined): MeasuredValue | undefined {
  return value === undefined || other === undefined ? undefined : { value, other };
}

function oneIf(is: boolean): 0 | 1 {
  return is ? 1 : 0;
}
