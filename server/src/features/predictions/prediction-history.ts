import { DAY_MS } from '../../lib/day.js';
import type { DayRange, PredictionFacts } from '../../personalisation/predict/prediction-facts.js';
import type { PlayerReading } from '../players/facts-queries.js';

/** What predictions look at, from the player's row and days. */
export function predictionFacts({
  facts,
  history,
}: Pick<PlayerReading, 'facts' | 'history'>): PredictionFacts {
  const { firstDay, firstPurchaseDay, earlierPurchaseDays } = history;
  const created = Math.floor(facts.createdAt / DAY_MS);
  return {
    firstDay: firstDay === null ? created : Math.min(created, firstDay),
    activeDays: dayRanges(history.activeDays),
    purchaseDays: dayRanges(history.purchaseDays),
    earlierPurchases:
      firstPurchaseDay === null || earlierPurchaseDays === null
        ? undefined
        : { firstDay: firstPurchaseDay, days: earlierPurchaseDays },
    repeatSpend: history.repeatSpend,
    recentDays: facts.days,
  };
}

/** A player of whom nothing is known but the first login. */
export function blankPredictionFacts(createdAt: number): PredictionFacts {
  return {
    firstDay: Math.floor(createdAt / DAY_MS),
    activeDays: [],
    purchaseDays: [],
    repeatSpend: {},
    recentDays: [],
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

function epochDayOf(year = '', month = '', day = ''): number {
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS;
}
