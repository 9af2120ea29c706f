/** Shares and means of the numbers of a game, to four decimals. */

const FOUR_DECIMALS = 10_000;

export function rounded(value: number): number {
  return Math.round(value * FOUR_DECIMALS) / FOUR_DECIMALS;
}

/** Null if there is nothing to divide by. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : rounded(part / whole);
}

export function perPlayer(revenue: Record<string, string>, players: number): Record<string, string> {
  if (players === 0) return {};
  const shares = Object.entries(revenue).map(([currency, total]) => [
    currency,
    String(rounded(Number(total) / players)),
  ]);
  return Object.fromEntries(shares);
}
