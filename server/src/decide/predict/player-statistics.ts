import { MINUTE_MS } from '../../platform/lib/day.js';
import type { PurchaseHistory } from './beta-geometric-nbd.js';
import type { ActivityHistory } from './bg-bb.js';
import type { DayRange, PredictionFacts, RecentDay } from './prediction-facts.js';

/**
 * The sufficient statistics of a player: all that the models look at. Players with equal ones get equal predictions, so
 * training counts players per combination. That is why amounts are given as levels, not exactly.
 */
export type ActivityStatistics = ActivityHistory &
  Readonly<{
    /** Active days of the last 7 and 28. */
    active7: number;
    active28: number;
    /** Levels of what happened in the last 7 or 28 days (`levelOf`). */
    sessions7: number;
    playMinutes7: number;
    adImpressions7: number;
    storeViews7: number;
    purchases28: number;
    isPayer: boolean;
  }>;

export type PayerStatistics = PurchaseHistory &
  Readonly<{
    /** Mean spend of a repeat purchase day in the currency of the model. Null without one, or with several currencies. */
    meanValue: number | null;
  }>;

/** How far back activity is looked at. A player who is older counts as if they had begun then. */
export const WINDOW_DAYS = 180;

const LEVEL_STARTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The number of powers of two, from 1 to 512, that a count reaches: 0 → 0, 1 → 1, 2 and 3 → 2, 4 to 7 → 3 … */
export function levelOf(count: number): number {
  let level = 0;
  while (level < LEVEL_STARTS.length && count >= (LEVEL_STARTS[level] as number)) level += 1;
  return level;
}

/** The counts that a level stands for: "4 to 7". */
export function levelText(level: number): string {
  const from = LEVEL_STARTS[level - 1];
  if (from === undefined) return '0';
  const next = LEVEL_STARTS[level];
  if (next === undefined) return `${from} or more`;
  return next - from === 1 ? `${from}` : `${from} to ${next - 1}`;
}

/**
 * As of the end of yesterday, or of today if the player has already been active: a day that is not over yet says something
 * about a player only once they come.
 */
export function activityStatistics(facts: PredictionFacts, today: number): ActivityStatistics {
  const end = includes(facts.activeDays, today) ? today : today - 1;
  const start = Math.min(end, Math.max(facts.firstDay, end - WINDOW_DAYS));
  const last = lastDay(facts.activeDays, end);
  const week = recent(facts, end, 7);
  return {
    n: end - start,
    x: countDays(facts.activeDays, start + 1, end),
    tx: last > start ? last - start : 0,
    active7: countDays(facts.activeDays, end - 6, end),
    active28: countDays(facts.activeDays, end - 27, end),
    sessions7: levelOf(total(week, ({ sessions }) => sessions)),
    playMinutes7: levelOf(total(week, ({ playMs }) => playMs) / MINUTE_MS),
    adImpressions7: levelOf(total(week, ({ adImpressions }) => adImpressions)),
    storeViews7: levelOf(total(week, ({ storeViews }) => storeViews)),
    purchases28: levelOf(total(recent(facts, end, 28), ({ purchases }) => purchases)),
    isPayer: countDays(facts.purchaseDays, Number.NEGATIVE_INFINITY, today) > 0,
  };
}

/** `undefined` for a player who has not bought anything. */
export function payerStatistics(
  facts: PredictionFacts,
  today: number,
  currency: string | null,
): PayerStatistics | undefined {
  const first = facts.earlierPurchases?.firstDay ?? facts.purchaseDays[0]?.[0];
  if (first === undefined || first > today) return undefined;
  const last = lastDay(facts.purchaseDays, today);
  const x = (facts.earlierPurchases?.days ?? 0) + countDays(facts.purchaseDays, first, today) - 1;
  // A first purchase of today is 0 days old, not −1.
  const t = Math.max(last, today - 1) - first;
  return { x, tx: last - first, t, meanValue: meanValueOf(facts, x, currency) };
}

function meanValueOf({ repeatSpend }: PredictionFacts, x: number, currency: string | null): number | null {
  if (x <= 0 || currency === null) return null;
  const paid = Object.keys(repeatSpend).filter((code) => repeatSpend[code] !== 0);
  if (paid.length > 1 || (paid.length === 1 && paid[0] !== currency)) return null;
  return Math.max(0, paid.length === 0 ? 0 : (repeatSpend[currency] as number)) / x;
}

function includes(ranges: readonly DayRange[], day: number): boolean {
  return ranges.some(([from, until]) => from <= day && day < until);
}

/** Days from `first` to `last`, both included. */
function countDays(ranges: readonly DayRange[], first: number, last: number): number {
  let sum = 0;
  for (const [from, until] of ranges) {
    sum += Math.max(0, Math.min(until, last + 1) - Math.max(from, first));
  }
  return sum;
}

/** The last day until `end`; −∞ without one. */
function lastDay(ranges: readonly DayRange[], end: number): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const [from, until] of ranges) if (from <= end) last = Math.max(last, Math.min(until - 1, end));
  return last;
}

function recent({ recentDays }: PredictionFacts, end: number, days: number): RecentDay[] {
  return recentDays.filter(({ epochDay }) => epochDay > end - days && epochDay <= end);
}

function total(days: readonly RecentDay[], of: (day: RecentDay) => number): number {
  return days.reduce((sum, day) => sum + of(day), 0);
}
