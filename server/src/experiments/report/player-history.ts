import type { Forecast } from '../../decide/predict/forecast.js';
import type { DayRange } from '../../decide/predict/prediction-facts.js';
import { cell } from '../../platform/lib/columns.js';
import type { DatedAmounts } from '../../studio/money/exchange-rates.js';
import { DAYS_BEFORE, type PlayerFigures, type Totals } from './figures.js';

/**
 * What players did on UTC days, of which there is a row for each day of a player. In columns: there are millions of days. Null: no metric asks
 * for it. Days are counted since 1970.
 */
export type DayColumns = Readonly<{
  day: readonly number[];
  sessions: readonly number[] | null;
  playMs: readonly number[] | null;
  adImpressions: readonly number[] | null;
  purchases: readonly number[] | null;
  revenue: readonly (DatedAmounts | null)[] | null;
  eventCounts: readonly (Readonly<Record<string, number>> | null)[] | null;
}>;

/** What is read of a player once, for all experiments and all looks at them. */
export type PlayerHistory = Readonly<{
  startDay: number;
  /** Those since the exposure. Empty where no metric asks for retention. */
  activeDays: readonly DayRange[];
  /** The player's rows are those from `first` until `end`. */
  days: DayColumns;
  first: number;
  end: number;
}>;

/** `day`: day 0, that of the exposure or of the activation. */
export type FiguredExposure = Readonly<{ day: number; exposedOn: number; forecast?: Forecast | null }>;

/** What a player did in an experiment, up to the end of the day `last`. */
export function figuresOf(
  history: PlayerHistory,
  { day, exposedOn, forecast = null }: FiguredExposure,
  last: number,
  retentionDays: readonly number[],
): PlayerFigures {
  return {
    isNew: history.startDay >= exposedOn,
    lastDay: last - day,
    activeOn: retentionDays.filter((n) => includes(history.activeDays, day + n)),
    since: totalsOf(history, day, last),
    before: totalsOf(history, exposedOn - DAYS_BEFORE, exposedOn - 1),
    forecast,
  };
}

/** It is worked out for every exposure, of which there may be millions: so no more is allocated than is told. */
function totalsOf({ days, first, end }: PlayerHistory, from: number, to: number): Totals {
  let [sessions, playMs, adImpressions, purchases] = [0, 0, 0, 0];
  const revenue: DatedAmounts[] = [];
  let eventCounts = NO_COUNTS;
  for (let row = first; row < end; row++) {
    const day = cell(days.day, row);
    if (day < from || day > to) continue;
    sessions += days.sessions?.[row] ?? 0;
    playMs += days.playMs?.[row] ?? 0;
    adImpressions += days.adImpressions?.[row] ?? 0;
    purchases += days.purchases?.[row] ?? 0;
    const [paid, counts] = [days.revenue?.[row], days.eventCounts?.[row]];
    if (paid) revenue.push(paid);
    if (counts) eventCounts = sumOf(eventCounts, counts);
  }
  return { sessions, playMs, adImpressions, purchases, revenue, eventCounts };
}

const NO_COUNTS: Record<string, number> = {};

/** An event type may be called `constructor`, which every other object has. */
function sumOf(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const sum: Record<string, number> = Object.assign(Object.create(null), one);
  for (const [eventType, count] of Object.entries(other)) sum[eventType] = (sum[eventType] ?? 0) + count;
  return sum;
}

function includes(ranges: readonly DayRange[], day: number): boolean {
  return ranges.some(([from, until]) => from <= day && day < until);
}
