/** To a hundredth of a percent: further digits are rounding errors of the sums. */
export function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}

/** The share of `spend` in `all` by currency, sorted by currency. Currencies in which `all` has spent nothing are left out. */
export function revenueShares(
  spend: ReadonlyMap<string, number>,
  all: ReadonlyMap<string, number>,
): Record<string, number> {
  const shares = [...all].flatMap(([currency, total]) =>
    total > 0 ? [[currency, roundShare((spend.get(currency) ?? 0) / total)] as const] : [],
  );
  return Object.fromEntries(shares.sort(([a], [b]) => (a < b ? -1 : 1)));
}
