/**
 * What predictions need to know of a player, as the player's row and days hold it. Days are whole UTC days since 1970-01-01.
 */
export type PredictionFacts = Readonly<{
  /** Of the first event, or of the first login. */
  firstDay: number;
  /** Days with an event, ascending, without gaps inside a range. */
  activeDays: readonly DayRange[];
  /** Days with a purchase that was not refunded; at least those of the 180 days until the last one. */
  purchaseDays: readonly DayRange[];
  /** The first of such days and their number, where there are some before those. */
  earlierPurchases?: Readonly<{ firstDay: number; days: number }> | undefined;
  /** Currency → what was spent after the first day of purchase. */
  repeatSpend: Readonly<Record<string, number>>;
  /** At least those of the last 28 days that have a row; older ones are ignored. */
  recentDays: readonly RecentDay[];
}>;

/** From a day until another, which is not included. */
export type DayRange = readonly [from: number, until: number];

export type RecentDay = Readonly<{
  epochDay: number;
  sessions: number;
  adImpressions: number;
  storeViews: number;
  playMs: number;
  purchases: number;
}>;
