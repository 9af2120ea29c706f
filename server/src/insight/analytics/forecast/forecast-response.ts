import { DAY_MS, utcDay } from '../../../platform/lib/day.js';
import type { RateTable } from '../../../studio/money/exchange-rates.js';
import {
  type ForecastDay,
  forecastRevenue,
  MIN_DAYS,
  MIN_REVENUE_DAYS,
  NOMINAL_COVERAGE,
} from './forecast.js';
import { currenciesOf, type RevenueDay, reportedSeriesOf, seriesOf } from './revenue-days.js';

/** What the chart shows before the first day of the forecast. */
const HISTORY_DAYS = 56;

export type ForecastQuestion = Readonly<{
  /** Payments in this currency only, as they were made. Left out: all payments in the reporting currency. */
  currency?: string | undefined;
  rates: RateTable | null;
  nowMs: number;
}>;

/** The forecast of a game as the admin API shows it. */
export function forecastResponse(
  days: readonly RevenueDay[],
  { currency: wanted, rates, nowMs }: ForecastQuestion,
) {
  const currencies = currenciesOf(days);
  const reportedIn = wanted === undefined && days.length > 0 ? rates : null;
  // Without rates: the currency with revenue on the most days.
  const currency = wanted ?? reportedIn?.currency ?? currencies[0] ?? null;
  const { series, missing } =
    reportedIn !== null ? reportedSeriesOf(days, reportedIn, nowMs) : seriesOf(days, currency ?? '', nowMs);
  const forecast = forecastRevenue(series.map(({ revenue }) => revenue));
  const isForecast = forecast.outcome === 'forecast';
  return {
    currency,
    currencies,
    reportingCurrency: rates?.currency ?? null,
    isReported: reportedIn !== null,
    missing,
    state: forecast.outcome,
    daysKnown: series.length,
    daysNeeded: MIN_DAYS,
    revenueDaysKnown: isForecast ? null : forecast.revenueDays,
    revenueDaysNeeded: MIN_REVENUE_DAYS,
    nominalCoverage: NOMINAL_COVERAGE,
    pastIntervals: isForecast ? forecast.coverage.intervals : 0,
    pastCovered: isForecast ? forecast.coverage.covered : 0,
    history: series.slice(-HISTORY_DAYS),
    days: isForecast
      ? forecast.days.map((day, ahead) => ({ day: utcDay(nowMs + ahead * DAY_MS), ...inCents(day) }))
      : [],
    total: isForecast && forecast.total !== null ? inCents(forecast.total) : null,
  };
}

/** Estimates: more digits would claim more than is known. */
function inCents({ expected, low, high }: ForecastDay): ForecastDay {
  const cents = (amount: number) => Math.round(amount * 100) / 100;
  return { expected: cents(expected), low: cents(low), high: cents(high) };
}
