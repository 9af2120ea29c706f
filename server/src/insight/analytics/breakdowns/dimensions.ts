/** By what the numbers of a day are split. */
export const DIMENSIONS = ['country', 'platform', 'build', 'sku', 'promotion'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** These describe a purchase, not a player: only payers, purchases and revenue are known by them. */
export function isOfPurchases(dimension: Dimension): boolean {
  return dimension === 'sku' || dimension === 'promotion';
}

/** At most this many values are shown per day; the others are added up as one. Clients choose the values, and may invent any number. */
export const SHOWN_VALUES = 50;

/**
 * At most this many values are kept per day while they are summed. A run starts with the oldest players, so values that somebody
 * invents today come after those that were there before.
 */
export const SUMMED_VALUES = 1_000;

/** Late events count up to 90 days back (see `check-events.ts`). */
export const SUMMED_DAYS = 90;

/** A late event also changes the weekly and monthly players of the 29 days after its own. */
export const DAYS_BEFORE_TODAY = SUMMED_DAYS + 29;
