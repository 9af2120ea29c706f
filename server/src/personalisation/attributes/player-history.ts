import { DAY_MS, dateOf } from '../../lib/day.js';
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

const RANGE = /\[(\d{4})-(\d\d)-(\d\d),(\d{4})-(\d\d)-(\d\d)\)/g;

/** A set of days as PostgreSQL writes it, always from a day until another that is not included. */
export function dayRanges(text: string): DayRange[] {
  const ranges: DayRange[] = [];
  for (const [, year, month, day, endYear, endMonth, endDay] of text.matchAll(RANGE)) {
    ranges.push([epochDayOf(year, month, day), epochDayOf(endYear, endMonth, endDay)]);
  }
  return ranges;
}

/** The way back. */
export function daysText(ranges: readonly DayRange[]): string {
  return `{${ranges.map((range) => `[${range.map(dateOf).join()})`).join()}}`;
}

function epochDayOf(year = '', month = '', day = ''): number {
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS;
}
