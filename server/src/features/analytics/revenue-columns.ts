import { perPlayer } from './ratios.js';

/** The columns of a CSV file that tell of money: revenue, and revenue per active and per paying player, each by currency. */

const MEANS = ['revenuePerActivePlayer', 'revenuePerPayingPlayer'] as const;

export function currenciesOf(rows: readonly { revenue: Record<string, string> }[]): string[] {
  return [...new Set(rows.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
}

export function revenueColumns(currencies: readonly string[]): string[] {
  return ['revenue', ...MEANS].flatMap((name) => currencies.map((currency) => `${name}:${currency}`));
}

/** A mean is empty if there is no player to divide by, or if their number is not known (null). */
export function revenueCells(
  currencies: readonly string[],
  revenue: Record<string, string>,
  players: { active: number | null; paying: number },
): (string | null)[] {
  const amounts = (totals: Record<string, string>) => currencies.map((currency) => totals[currency] ?? '0');
  const means = (count: number | null) =>
    count === null || count === 0 ? currencies.map(() => null) : amounts(perPlayer(revenue, count));
  return [...amounts(revenue), ...means(players.active), ...means(players.paying)];
}
