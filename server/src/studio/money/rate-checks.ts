import { isCurrency } from '../../platform/lib/currencies.js';
import { utcDay } from '../../platform/lib/day.js';
import { trimDecimal } from '../../platform/lib/decimal-sum.js';
import { MAX_ROW_ERRORS, type RowError } from '../../platform/lib/row-errors.js';
import type { ExchangeRate } from './exchange-rates.js';

/** A rate as a file or a request states it, and where. */
export type StatedRate = ExchangeRate & Readonly<{ row: number }>;

/** Thirty currencies with a rate each month for thirteen years. Each request for numbers reads all of them. */
export const MAX_RATES = 5_000;

export const TOO_MANY: RowError = {
  row: null,
  column: null,
  message: `There can be ${MAX_RATES} rates at most.`,
};
const NOTHING_TO_CONVERT_TO: RowError = {
  row: null,
  column: null,
  message: 'Set the reporting currency first: rates say what other currencies are worth in it.',
};

/** 12 digits on both sides of the point: a rial or dong is worth some millionths of a dollar. */
const RATE = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,12})?$/;
const ZERO = /^[0.]*$/;
const DAY = /^[12]\d{3}-\d{2}-\d{2}$/;

/** Everything that is wrong with the rates. */
export function checkRates(rates: readonly StatedRate[], reportingCurrency: string | null): RowError[] {
  if (rates.length > MAX_RATES) return [TOO_MANY];
  if (reportingCurrency === null && rates.length > 0) return [NOTHING_TO_CONVERT_TO];
  return [...rates.flatMap((rate) => checkRate(rate, reportingCurrency)), ...repeated(rates)].slice(
    0,
    MAX_ROW_ERRORS,
  );
}

function checkRate({ row, currency, from, rate }: StatedRate, reportingCurrency: string | null): RowError[] {
  const errors: RowError[] = [];
  const fault = (column: string, message: string) => errors.push({ row, column, message });
  if (!isCurrency(currency)) fault('currency', 'This must be the code of a currency, such as EUR.');
  else if (currency === reportingCurrency)
    fault('currency', 'This is the reporting currency itself, whose rate is always 1.');
  if (!isDay(from)) fault('from', 'This must be a day such as 2026-11-15.');
  if (!RATE.test(rate) || ZERO.test(rate))
    fault('rate', 'This must be a decimal above 0 with a point, such as 1.0834: 12 decimals at most.');
  return errors;
}

function isDay(text: string): boolean {
  const ms = DAY.test(text) ? Date.parse(text) : Number.NaN;
  // 30 February is read as 1 March.
  return !Number.isNaN(ms) && utcDay(ms) === text;
}

/** The second of two rates for one currency and day would silently win. */
function repeated(rates: readonly StatedRate[]): RowError[] {
  const first = new Map<string, number>();
  const errors: RowError[] = [];
  for (const { row, currency, from } of rates) {
    const known = first.get(keyOf({ currency, from }));
    if (known === undefined) first.set(keyOf({ currency, from }), row);
    else
      errors.push({
        row,
        column: null,
        message: `Row ${known} has a rate of this currency and day already.`,
      });
  }
  return errors;
}

export function keyOf({ currency, from }: Pick<ExchangeRate, 'currency' | 'from'>): string {
  return `${currency} ${from}`;
}

/** As they are stored: by currency and day, without superfluous zeros. */
export function sortedRates(rates: readonly ExchangeRate[]): ExchangeRate[] {
  return rates
    .map(({ currency, from, rate }) => ({ currency, from, rate: trimDecimal(rate) }))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
