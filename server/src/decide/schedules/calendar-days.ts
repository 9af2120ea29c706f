import { DAY_MS } from '../../platform/lib/day.js';

/** Dates as whole days since 1970-01-01, in no zone: arithmetic with them is that of whole numbers. */

/** Undefined if there is no such date. */
export function dayOfDate(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`);
  if (!Number.isFinite(ms) || new Date(ms).toISOString().slice(0, 10) !== date) return undefined;
  return ms / DAY_MS;
}

export function dateOfDay(day: number): Readonly<{ year: number; month: number; day: number }> {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 1 is Monday, 7 is Sunday. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}
