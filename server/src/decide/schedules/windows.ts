import { dayOfDate } from './calendar-days.js';
import type { Schedule } from './schedule.js';
import { isScheduledDay } from './schedule-days.js';
import { instantOf, isTimeZone, localDayAt } from './zone-time.js';

/** One time at which a schedule is open, in epoch milliseconds: from `from` up to but not including `until`. */
export type Window = Readonly<{ from: number; until: number }>;

/** What a schedule says about an instant, and about all others between its two boundaries. */
export type ScheduleState = Readonly<{
  /** The window that is open; null: it is closed. */
  window: Window | null;
  /** The last boundary up to the instant, and the next one after it; infinite where there is none. */
  since: number;
  until: number;
  /** Whether a window is open from the next boundary on. */
  isOpenNext: boolean;
}>;

/** A schedule that is ready to be asked. */
export type CompiledSchedule = Readonly<{
  /** Equal keys mean equal windows. */
  key: string;
  /** Null: that of the player. */
  zone: string | null;
  /** The same until its next boundary, so it is computed once for all players of a zone. */
  stateAt: (instant: number, zone: string) => ScheduleState;
}>;

const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 24 * 60;
/** Every 52nd week, but for 100 exceptions. */
const MAX_DAYS_APART = 101 * 52 * 7;
/** There are about 600 zones. */
const MAX_ZONES = 1_000;

/** Throws for a schedule that `checkSchedule` would refuse. */
export function compileSchedule(schedule: Schedule, studioZone: string): CompiledSchedule {
  const { zone } = schedule;
  const named = zone === 'studio' ? studioZone : zone;
  if (named !== 'player' && !isTimeZone(named)) throw new RangeError(`${named} is not a time zone`);
  const windows = windowsOf(schedule);
  const states = new Map<string, ScheduleState>();
  return {
    key: JSON.stringify([schedule, named]),
    zone: named === 'player' ? null : named,
    stateAt(instant, inZone) {
      const known = states.get(inZone);
      if (known !== undefined && known.since <= instant && instant < known.until) return known;
      const state = windows.stateAt(instant, inZone);
      if (states.size >= MAX_ZONES) states.clear();
      states.set(inZone, state);
      return state;
    },
  };
}

type Windows = Readonly<{ stateAt: (instant: number, zone: string) => ScheduleState }>;

function windowsOf(schedule: Schedule): Windows {
  const { days, lengthMinutes } = schedule;
  const from = minutesOf(schedule.from);
  const firstDay = schedule.firstDate === null ? null : dayOf(schedule.firstDate);
  const lastDay = schedule.lastDate === null ? null : dayOf(schedule.lastDate);
  const except = new Set(schedule.except.map(dayOf));
  const to = schedule.to === undefined ? undefined : minutesOf(schedule.to);

  const isOpenOn = (day: number): boolean =>
    (firstDay === null || day >= firstDay) &&
    (lastDay === null || day <= lastDay) &&
    !except.has(day) &&
    isScheduledDay(days, day, firstDay);

  /** The next day of the schedule in a direction, this one included. */
  const findDay = (day: number, step: 1 | -1): number | undefined => {
    const beyond = step === 1 ? lastDay : firstDay;
    for (let each = day, left = MAX_DAYS_APART; left > 0; each += step, left--) {
      if (isOpenOn(each)) return each;
      if (beyond !== null && (beyond - each) * step <= 0) return undefined;
    }
    return undefined;
  };

  /** A window that begins in a gap keeps its length; else it ends at the local time, whatever clocks do in between. */
  const windowOn = (day: number, zone: string): Window => {
    const begin = instantOf(day, from, zone);
    if (to === undefined)
      return { from: begin.epochMs, until: begin.epochMs + (lengthMinutes ?? 0) * MINUTE_MS };
    const length = to > from ? to - from : to - from + MINUTES_OF_DAY;
    const until = begin.isInGap
      ? begin.epochMs + length * MINUTE_MS
      : instantOf(to > from ? day : day + 1, to, zone).epochMs;
    return { from: begin.epochMs, until };
  };

  return {
    stateAt(instant, zone) {
      const today = localDayAt(instant, zone);
      // Where a day does not exist, its window begins with that of the next day: the later one counts.
      let day = findDay(today + 1, -1);
      while (day !== undefined && instantOf(day, from, zone).epochMs > instant) day = findDay(day - 1, -1);
      let nextDay = findDay(day === undefined ? today - 2 : day + 1, 1);
      while (nextDay !== undefined && instantOf(nextDay, from, zone).epochMs <= instant) {
        nextDay = findDay(nextDay + 1, 1);
      }
      const next = nextDay === undefined ? Number.POSITIVE_INFINITY : windowOn(nextDay, zone).from;
      const closed = { window: null, until: next, isOpenNext: nextDay !== undefined };
      if (day === undefined) return { ...closed, since: Number.NEGATIVE_INFINITY };
      const { from: begin, until: end } = windowOn(day, zone);
      const until = Math.min(end, next);
      if (instant >= until) return { ...closed, since: until };
      return { window: { from: begin, until }, since: begin, until, isOpenNext: next <= end };
    },
  };
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function dayOf(date: string): number {
  const day = dayOfDate(date);
  if (day === undefined) throw new RangeError(`${date} is not a date`);
  return day;
}
