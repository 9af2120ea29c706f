import { type DatedAmounts, type RateTable, type ReportedAmount, reportAmounts } from './exchange-rates.js';

/** Shares and means of the numbers of a game, to four decimals. */

const FOUR_DECIMALS = 10_000;

export function rounded(value: number): number {
  return Math.round(value * FOUR_DECIMALS) / FOUR_DECIMALS;
}

/** Null if there is nothing to divide by. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : rounded(part / whole);
}

export type Revenue = Readonly<Record<string, string>>;

/** How many players revenue is divided by; null where their number is not known. */
export type Divisors = Readonly<{ active: number | null; paying: number }>;

/** Revenue for each active player, by currency. */
export function perActivePlayer(revenue: Revenue, { active }: Divisors): Record<string, string> {
  if (active === null || active === 0) return {};
  const means = Object.entries(revenue).map(([currency, total]) => [currency, meanOf(total, active)]);
  return Object.fromEntries(means);
}

/**
 * Revenue for each payer. Payers are not counted by currency. So where players paid in several, nobody can tell how many paid in
 * each, and there is no mean but the one in the reporting currency.
 */
export function perPayer(revenue: Revenue, { paying }: Divisors): Record<string, string> {
  const [only, ...others] = Object.entries(revenue);
  if (only === undefined || others.length > 0 || paying === 0) return {};
  return { [only[0]]: meanOf(only[1], paying) };
}

/** Revenue in the reporting currency, for each active player and for each payer. */
export type ReportedRevenue = Readonly<{
  currency: string;
  revenue: string;
  revenuePerActivePlayer: string | null;
  revenuePerPayingPlayer: string | null;
  missing: Revenue;
}>;

/** Null if the studio has no reporting currency. */
export function reportRevenue(
  rates: RateTable | null,
  dated: readonly DatedAmounts[],
  divisors: Divisors,
): ReportedRevenue | null {
  const reported = reportAmounts(rates, dated);
  return reported && withMeans(reported, divisors);
}

export function withMeans(
  { currency, amount, missing }: ReportedAmount,
  { active, paying }: Divisors,
): ReportedRevenue {
  const mean = (players: number | null) =>
    players === null || players === 0 ? null : meanOf(amount, players);
  return {
    currency,
    revenue: amount,
    revenuePerActivePlayer: mean(active),
    revenuePerPayingPlayer: mean(paying),
    missing,
  };
}

function meanOf(total: string, players: number): string {
  return String(rounded(Number(total) / players));
}
