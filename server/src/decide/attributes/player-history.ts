import { dateOf } from '../../platform/lib/day.js';
import type { DayRange, PredictionFacts } from '../predict/prediction-facts.js';
import { epochDay, type PlayerFacts, type PlayerHistory } from './player-facts.js';

/** Of a player who has sent nothing. */
export const BLANK_HISTORY: PlayerHistory = Object.freeze({
  firstDay: null,
  activeDays: '{}',
  purchaseDays: '{}',
  firstPurchaseDay: null,
  earlierPurchaseDays: null,
  repeatSpend: Object.freeze({}),
});

/** What predictions look at, from the facts about a player. */
export function predictionFacts({ createdAt, days, history }: PlayerFacts): PredictionFacts {
  const { firstDay, firstPurchaseDay, earlierPurchaseDays } = history;
  const created = epochDay(createdAt);
  return {
    firstDay: firstDay === null ? created : Math.min(created, firstDay),
    activeDays: dayRanges(history.activeDays),
    purchaseDays: dayRanges(history.purchaseDays),
    earlierPurchases:
      firstPurchaseDay === null || earlierPurchaseDays === null
        ? undefined
        : { firstDay: firstPurchaseDay, days: earlierPurchaseDays },
    repeatSpend: history.repeatSpend,
    recentDays: history.recentDays ?? days,
  };
}

/** `[2026-11-01,2026-11-03)`, and a comma or the closing brace behind it. */
const RANGE_LENGTH = 24;
const UNTIL_AT = 11;

/**
 * A set of days as PostgreSQL writes it, always from a day until another that is not included. Character by character: a player
 * who comes every other day has 90 ranges, and a regular expression takes longer for them than all of the scoring.
 */
export function dayRanges(text: string): DayRange[] {
  if (text.length === 2) return [];
  if (text.length % RANGE_LENGTH !== 1) throw new Error(`${text} is no set of days`);
  const ranges: DayRange[] = [];
  for (let at = 2; at < text.length; at += RANGE_LENGTH) {
    ranges.push([epochDayAt(text, at), epochDayAt(text, at + UNTIL_AT)]);
  }
  return ranges;
}

/** The way back. */
export function daysText(ranges: readonly DayRange[]): string {
  return `{${ranges.map((range) => `[${range.map(dateOf).join()})`).join()}}`;
}

/** Of the date that stands there. Days are counted from March on, so that the one of a leap year is the last (Hinnant, "chrono"). */
function epochDayAt(text: string, at: number): number {
  const month = numberAt(text, at + 5, 2);
  const year = numberAt(text, at, 4) - (month <= 2 ? 1 : 0);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + numberAt(text, at + 8, 2) - 1;
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return year * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970;
}

/** From 0000-03-01 to 1970-01-01. */
const DAYS_BEFORE_1970 = 719_468;
const ZERO = 48;

function numberAt(text: string, at: number, digits: number): number {
  let number = 0;
  for (let index = at; index < at + digits; index += 1) number = 10 * number + text.charCodeAt(index) - ZERO;
  return number;
}
