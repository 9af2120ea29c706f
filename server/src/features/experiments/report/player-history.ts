import { DAY_MS, dateOf } from '../../../lib/day.js';
import type { DayRange } from '../../../personalisation/predict/prediction-facts.js';
import type { Amounts, DatedAmounts } from '../../reporting/exchange-rates.js';
import { DAYS_BEFORE, type PlayerFigures, type Totals } from './figures.js';

/** What a player did on a UTC day, of which there is a row. Days are counted since 1970. */
export type HistoryDay = readonly [
  day: number,
  sessions: number,
  playMs: number,
  adImpressions: number,
  purchases: number,
  revenue: Amounts | null,
  eventCounts: Readonly<Record<string, number>> | null,
];

/** What is read of a player once, for all experiments and all looks at them. */
export type PlayerHistory = Readonly<{
  startDay: number;
  /** Empty where no metric asks for retention. */
  activeDays: readonly DayRange[];
  /** Those that the metrics need. */
  days: readonly HistoryDay[];
}>;

/** `day`: day 0, that of the exposure or of the activation. */
export type FiguredExposure = Readonly<{ day: string; exposedOn: string }>;

/** What a player did in an experiment, up to the end of `to`. */
export function figuresOf(
  { startDay, activeDays, days }: PlayerHistory,
  exposure: FiguredExposure,
  to: string,
  retentionDays: readonly number[],
): PlayerFigures {
  const [day, exposedOn, last] = [epochDay(exposure.day), epochDay(exposure.exposedOn), epochDay(to)];
  return {
    isNew: startDay >= exposedOn,
    lastDay: last - day,
    activeOn: retentionDays.filter((n) => includes(activeDays, day + n)),
    since: totalsOf(days, day, last),
    before: totalsOf(days, exposedOn - DAYS_BEFORE, exposedOn - 1),
  };
}

/** It is worked out for every exposure, of which there may be millions: so no more is allocated than is told. */
function totalsOf(days: readonly HistoryDay[], first: number, last: number): Totals {
  let [sessions, playMs, adImpressions, purchases] = [0, 0, 0, 0];
  let [revenue, eventCounts]: [DatedAmounts[], Record<string, number>] = [NO_REVENUE, NO_COUNTS];
  for (const of of days) {
    const day = of[0];
    if (day < first || day > last) continue;
    sessions += of[1];
    playMs += of[2];
    adImpressions += of[3];
    purchases += of[4];
    if (of[5] !== null) revenue = [...revenue, { day: dateOf(day), amounts: of[5] }];
    if (of[6] !== null) eventCounts = sumOf(eventCounts, of[6]);
  }
  return { sessions, playMs, adImpressions, purchases, revenue, eventCounts };
}

const NO_REVENUE: DatedAmounts[] = [];
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

function epochDay(day: string): number {
  return Date.parse(day) / DAY_MS;
}
