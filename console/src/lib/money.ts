import { formatAmounts, formatMoney, formatShare } from './format.js';

export type Amounts = Readonly<Record<string, number | string>>;

/** A figure in the reporting currency of the studio; `amount` is null where there is nothing to divide by. */
export type ReportedFigure = Readonly<{
  currency: string;
  amount: string | null;
  /** What is not in it: no rate holds on the day. */
  missing: Amounts;
}>;

/** Revenue in the reporting currency, as the numbers have it. */
type ReportedRevenue = Readonly<{
  currency: string;
  revenue: string;
  revenuePerActivePlayer: string | null;
  revenuePerPayingPlayer: string | null;
  missing: Readonly<Record<string, string>>;
}>;

/** One of its figures; null if the studio has no reporting currency. */
export function figureIn(
  reported: ReportedRevenue | null,
  name: 'revenue' | 'revenuePerActivePlayer' | 'revenuePerPayingPlayer' = 'revenue',
): ReportedFigure | null {
  if (reported === null) return null;
  return { currency: reported.currency, amount: reported[name], missing: reported.missing };
}

/** `12.50 USD` in the reporting currency, or `4.99 USD, 10.00 EUR` as it was paid. */
export function moneyText(paid: Amounts, reported: ReportedFigure | null): string {
  if (reported === null) return formatAmounts(paid);
  return reported.amount === null ? '–' : formatMoney(reported.amount, reported.currency);
}

/** Whether the originals tell more than the figure in the reporting currency. */
export function hasOriginals(paid: Amounts, reported: ReportedFigure | null): boolean {
  return reported !== null && Object.keys(paid).some((currency) => currency !== reported.currency);
}

/** `without 12.00 CHF: no rate`; empty where nothing is missing. */
export function missingText(missing: Amounts): string {
  return Object.keys(missing).length === 0 ? '' : `without ${formatAmounts(missing)}: no rate`;
}

/** The currencies in which something is missing in any of the figures. */
export function missingCurrencies(figures: readonly ({ missing: Amounts } | null)[]): string[] {
  return [...new Set(figures.flatMap((figure) => Object.keys(figure?.missing ?? {})))].sort();
}

/** The currencies that players paid in. */
export function currenciesOf(rows: readonly { revenue: Amounts }[]): string[] {
  return [...new Set(rows.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
}

/** The share of some players in what all players have paid. */
export type RevenueShares = Readonly<{
  revenueShare: Readonly<Record<string, number>>;
  /** In the reporting currency. Left out in results that are older than it. */
  reportedRevenueShare?: Readonly<{ share: number; missing: readonly string[] }> | null;
}>;

/** `38% of revenue`, or `38% of USD revenue, 2% of EUR revenue` as it was paid. Empty if nobody has paid. */
export function revenueSharesText(
  { revenueShare, reportedRevenueShare: reported }: RevenueShares,
  isOriginal: boolean,
): string {
  if (reported != null && !isOriginal) {
    const { share, missing } = reported;
    return `${formatShare(share)} of revenue${missing.length === 0 ? '' : ` (without ${missing.join(', ')}: no rate)`}`;
  }
  const told = Object.entries(revenueShare).map(
    ([currency, share]) => [formatShare(share), currency] as const,
  );
  const [first, ...others] = told;
  if (first !== undefined && others.length > 0 && others.every(([share]) => share === first[0]))
    return `${first[0]} of revenue in each of ${told.length} currencies`;
  return told.map(([share, currency]) => `${share} of ${currency} revenue`).join(', ');
}
