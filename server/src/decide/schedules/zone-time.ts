import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from '../../platform/lib/day.js';
import { dateOfDay } from './calendar-days.js';

/**
 * Local times and instants. A time that does not exist because clocks go forward is moved by the length of the gap; one that exists twice is
 * the first of the two. So does RFC 5545.
 */

const known = new Map<string, boolean>();
/** There are about 600 names; what else is asked for is nonsense of clients. */
const MAX_KNOWN = 2_000;

/** Whether it is a name of the IANA database. Offsets such as `+01:00` are none: they know no summer time. */
export function isTimeZone(name: string): boolean {
  let found = known.get(name);
  if (found === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    found = NAME.test(name) && canFormat(name);
    known.set(name, found);
  }
  return found;
}

const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

function canFormat(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

export type LocalInstant = Readonly<{
  epochMs: number;
  /** The local time does not exist on that date. */
  isInGap: boolean;
}>;

const instants = new Map<string, LocalInstant>();
/** Schedules of a game share their times, and players their zones. Computing one takes about 0.1 ms. */
const MAX_INSTANTS = 20_000;

/** The instant of a local time on a date. Midnight is the start of the local day, so it is in no gap. */
export function instantOf(day: number, minutes: number, timeZone: string): LocalInstant {
  const key = `${day} ${minutes} ${timeZone}`;
  let found = instants.get(key);
  if (found === undefined) {
    if (instants.size >= MAX_INSTANTS) instants.clear();
    found = computeInstant(day, minutes, timeZone);
    instants.set(key, found);
  }
  return found;
}

function computeInstant(day: number, minutes: number, timeZone: string): LocalInstant {
  const date = Temporal.PlainDate.from(dateOfDay(day));
  if (minutes === 0) return { epochMs: date.toZonedDateTime(timeZone).epochMilliseconds, isInGap: false };
  const plainTime = Temporal.PlainTime.from({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
  const zoned = date.toZonedDateTime({ timeZone, plainTime });
  return { epochMs: zoned.epochMilliseconds, isInGap: !zoned.toPlainTime().equals(plainTime) };
}

/** The local date at an instant. */
export function localDayAt(epochMs: number, timeZone: string): number {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone);
  return Math.floor((epochMs + offsetNanoseconds / 1e6) / DAY_MS);
}
