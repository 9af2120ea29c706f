import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import type { ScheduleState } from '../../../src/decide/schedules/windows.js';
import {
  FIRST_INSTANT,
  instantOfLocal,
  LAST_INSTANT,
  startOfLocalDay,
  type ZonePeriod,
} from './zone-periods.js';

/** A schedule written for reading: all windows of five years are listed, and the list is searched from its beginning. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function windowsBySlowWay(
  schedule: Schedule,
  periods: readonly ZonePeriod[],
): { from: number; until: number }[] {
  const windows: { from: number; until: number }[] = [];
  for (let midnight = FIRST_INSTANT + 2 * DAY_MS; midnight < LAST_INSTANT - 2 * DAY_MS; midnight += DAY_MS) {
    if (!isOnDate(schedule, new Date(midnight))) continue;
    const [from, to] = [schedule.from, schedule.to].map((time) => (time === undefined ? 0 : minutes(time)));
    const begin = localInstant(midnight, from ?? 0, periods);
    let until: number;
    if (schedule.lengthMinutes !== undefined) until = begin.at + schedule.lengthMinutes * MINUTE_MS;
    else {
      const isNextDay = (to ?? 0) <= (from ?? 0);
      const length = (to ?? 0) - (from ?? 0) + (isNextDay ? 1440 : 0);
      until = begin.isInGap
        ? begin.at + length * MINUTE_MS
        : localInstant(midnight + (isNextDay ? DAY_MS : 0), to ?? 0, periods).at;
    }
    windows.push({ from: begin.at, until });
  }
  // A window ends at the latest where the next one begins. Of two that begin together only one is left.
  return windows
    .map(({ from, until }, n) => ({
      from,
      until: Math.min(until, windows[n + 1]?.from ?? Number.POSITIVE_INFINITY),
    }))
    .filter(({ from, until }) => from < until);
}

export function stateBySlowWay(
  windows: readonly { from: number; until: number }[],
  instant: number,
): ScheduleState {
  const window = windows.find(({ from, until }) => from <= instant && instant < until) ?? null;
  const boundaries = windows.flatMap(({ from, until }) => [from, until]);
  const until = boundaries.find((each) => each > instant) ?? Number.POSITIVE_INFINITY;
  return {
    window,
    since: boundaries.findLast((each) => each <= instant) ?? Number.NEGATIVE_INFINITY,
    until,
    isOpenNext: windows.some(({ from }) => from === until),
  };
}

function localInstant(midnight: number, minute: number, periods: readonly ZonePeriod[]) {
  if (minute === 0) return { at: startOfLocalDay(midnight, periods), isInGap: false };
  return instantOfLocal(midnight + minute * MINUTE_MS, periods);
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

function isOnDate({ days, firstDate, lastDate, except }: Schedule, date: Date): boolean {
  const text = date.toISOString().slice(0, 10);
  if (
    (firstDate !== null && text < firstDate) ||
    (lastDate !== null && text > lastDate) ||
    except.includes(text)
  ) {
    return false;
  }
  if (days.every === 'day') return true;
  if (days.every === 'month') {
    const tomorrow = new Date(date.getTime() + DAY_MS);
    return days.day === 'last'
      ? tomorrow.getUTCMonth() !== date.getUTCMonth()
      : date.getUTCDate() === days.day;
  }
  if (!days.weekdays.includes(date.getUTCDay() || 7)) return false;
  if (days.everyWeeks === undefined || days.everyWeeks === 1) return true;
  const weeks = (monday(date) - monday(new Date(`${firstDate}T00:00:00Z`))) / (7 * DAY_MS);
  return weeks % days.everyWeeks === 0;
}

function monday(date: Date): number {
  return date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS;
}
