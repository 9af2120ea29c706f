import { type Divisors, perActivePlayer, perPayer, type ReportedRevenue, type Revenue } from './ratios.js';

/**
 * The columns of a CSV file that tell of money: revenue, and revenue per active and per paying player, in the reporting currency
 * and then by the currencies that players paid in.
 */

type MoneyRow = Readonly<{ revenue: Revenue; reported: ReportedRevenue | null }>;

const NAMES = ['revenue', 'revenuePerActivePlayer', 'revenuePerPayingPlayer'] as const;

export class RevenueColumns {
  readonly #currencies: readonly string[];
  readonly #isReported: boolean;

  constructor(rows: readonly MoneyRow[]) {
    this.#currencies = [...new Set(rows.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
    this.#isReported = rows.some(({ reported }) => reported !== null);
  }

  get names(): string[] {
    const reported = this.#isReported
      ? ['reportingCurrency', ...NAMES.map((name) => `reported:${name}`), 'withoutRate']
      : [];
    const originals = NAMES.flatMap((name) => this.#currencies.map((currency) => `${name}:${currency}`));
    return [...reported, ...originals];
  }

  /** A mean is empty if there is no player to divide by, or if their number is not known. */
  cells({ revenue, reported }: MoneyRow, divisors: Divisors): (string | null)[] {
    const inCurrencies = (amounts: Revenue, fallback: string | null) =>
      this.#currencies.map((currency) => amounts[currency] ?? fallback);
    const hasActive = divisors.active !== null && divisors.active > 0;
    const isOneCurrency = Object.keys(revenue).length < 2;
    return [
      ...(this.#isReported ? reportedCells(reported) : []),
      ...inCurrencies(revenue, '0'),
      ...inCurrencies(perActivePlayer(revenue, divisors), hasActive ? '0' : null),
      ...inCurrencies(perPayer(revenue, divisors), isOneCurrency && divisors.paying > 0 ? '0' : null),
    ];
  }
}

function reportedCells(reported: ReportedRevenue | null): (string | null)[] {
  if (reported === null) return [null, null, null, null, null];
  return [reported.currency, ...NAMES.map((name) => reported[name]), missingCell(reported.missing)];
}

/** What is not in the figures of a row because no rate holds: `3 CHF; 200 JPY`. */
export function missingCell(missing: Revenue): string | null {
  const amounts = Object.entries(missing).map(([currency, amount]) => `${amount} ${currency}`);
  return amounts.length === 0 ? null : amounts.join('; ');
}
