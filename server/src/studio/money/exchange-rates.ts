import { DecimalSum, trimDecimal } from '../../platform/lib/decimal-sum.js';

/**
 * Money in the reporting currency of a studio. Every figure of money is converted here and nowhere else: each amount with the rate
 * that holds on its day, exactly. An amount without a rate is not converted and not forgotten: it is listed beside the sum.
 */

/** From a day on, one unit of the currency is worth `rate` units of the reporting currency. */
export type ExchangeRate = Readonly<{ currency: string; from: string; rate: string }>;

/** The reporting currency of a studio with its rates by currency, each list by day. */
export type RateTable = Readonly<{
  currency: string;
  version: number;
  ratesOf: ReadonlyMap<string, readonly ExchangeRate[]>;
  /** The days from which another rate holds, earliest first. Between two of them all rates stay the same. */
  changeDays: readonly string[];
}>;

export function rateTable(currency: string, version: number, rates: readonly ExchangeRate[]): RateTable {
  const ratesOf = new Map<string, ExchangeRate[]>();
  for (const rate of rates.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const known = ratesOf.get(rate.currency);
    if (known === undefined) ratesOf.set(rate.currency, [rate]);
    else known.push(rate);
  }
  return { currency, version, ratesOf, changeDays: [...new Set(rates.map(({ from }) => from))].sort() };
}

/** Undefined if no rate holds on that day yet. */
export function rateOn(table: RateTable, currency: string, day: string): string | undefined {
  if (currency === table.currency) return '1';
  return table.ratesOf.get(currency)?.findLast(({ from }) => from <= day)?.rate;
}

/** Decimals by currency. */
export type Amounts = Readonly<Record<string, string>>;

/**
 * What was paid on a day, or on several days on which the same rates hold: `day` is then the last one of `changeDays` that
 * is not after them, or null if they are before all of these.
 */
export type DatedAmounts = Readonly<{ day: string | null; amounts: Amounts }>;

/** A figure in the reporting currency. */
export type ReportedAmount = Readonly<{
  currency: string;
  /** An exact decimal. */
  amount: string;
  /** What is not in it, by currency, because no rate held on the day. */
  missing: Amounts;
}>;

const BEFORE_ALL_DAYS = '';

/** Adds up amounts in the reporting currency. */
export class ReportedSum {
  readonly #table: RateTable;
  readonly #sum = new DecimalSum();
  readonly #missing = new Map<string, DecimalSum>();

  constructor(table: RateTable) {
    this.#table = table;
  }

  add({ day, amounts }: DatedAmounts): void {
    for (const [currency, amount] of Object.entries(amounts)) {
      const rate = rateOn(this.#table, currency, day ?? BEFORE_ALL_DAYS);
      if (rate === undefined) this.#missingIn(currency).add(amount);
      else this.#sum.addProduct(amount, rate);
    }
  }

  /** `scale`: an estimate that is made of the sum. */
  result(scale = 1): ReportedAmount {
    const missing = [...this.#missing]
      .map(([currency, sum]) => [currency, trimDecimal(sum.times(scale))] as const)
      .filter(([, amount]) => amount !== '0')
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      currency: this.#table.currency,
      amount: trimDecimal(this.#sum.times(scale)),
      missing: Object.fromEntries(missing),
    };
  }

  #missingIn(currency: string): DecimalSum {
    const sum = this.#missing.get(currency) ?? new DecimalSum();
    this.#missing.set(currency, sum);
    return sum;
  }
}

/** Null if the studio has no reporting currency. */
export function reportAmounts(table: RateTable, dated: readonly DatedAmounts[]): ReportedAmount;
export function reportAmounts(table: RateTable | null, dated: readonly DatedAmounts[]): ReportedAmount | null;
export function reportAmounts(
  table: RateTable | null,
  dated: readonly DatedAmounts[],
): ReportedAmount | null {
  if (table === null) return null;
  const sum = new ReportedSum(table);
  for (const each of dated) sum.add(each);
  return sum.result();
}
