/** By what the numbers of a day are broken down. */
export const DIMENSIONS = ['country', 'platform', 'build', 'sku', 'promotion'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** These say what was bought, not who plays: only payers, purchases and revenue can be told by them. */
export function isOfPurchases(dimension: Dimension): boolean {
  return dimension === 'sku' || dimension === 'promotion';
}

/** As many values of a day are shown; all others are added up as one. Clients choose the values, and may invent any number. */
export const SHOWN_VALUES = 50;

/**
 * As many values of a day are told apart while they are summed. The walk begins with the oldest players: values that somebody
 * invents today come behind those that were there before.
 */
export const SUMMED_VALUES = 1_000;

/** Late events count up to 90 days back (see `check-events.ts`). */
export const SUMMED_DAYS = 90;

/** A late event changes the weekly and monthly players of the 29 days behind its own, too. */
export const DAYS_BEFORE_TODAY = SUMMED_DAYS + 29;
