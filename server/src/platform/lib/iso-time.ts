import { DAY_MS } from './day.js';

/**
 * The two forms of time on the wire. `Date.parse` accepts a dozen forms that the specification does not, and
 * turns 30 February into 1 March, so both are read digit by digit.
 */

export type EventTimestamp = {
  /** Milliseconds since 1970, rounded down, also before 1970. */
  epochMs: number;
  /** Nanoseconds below that millisecond: 0 to 999999. */
  nanos: number;
  /** The text is exactly `YYYY-MM-DDThh:mm:ss.sssZ`, so it can be stored or echoed as it is. */
  isNormalForm: boolean;
};

const MS_PER_MINUTE = 60_000;
/** The Gregorian calendar repeats itself after 400 years, which are 146,097 days. */
const MS_PER_400_YEARS = 146_097 * DAY_MS;
const DATE_TIME_LENGTH = 'YYYY-MM-DDThh:mm:ss'.length;
const NORMAL_FRACTION_LENGTH = '.sss'.length;
const MAX_FRACTION_DIGITS = 9;

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const ZERO = 0x30;
const UPPER_T = 0x54;
const LOWER_T = 0x74;
const UPPER_Z = 0x5a;
const LOWER_Z = 0x7a;

/** Reads exactly `YYYY-MM-DDThh:mm:ssZ`, the form of a signed login, as epoch milliseconds. */
export function parseLoginTimestamp(text: string): number | undefined {
  const isShaped =
    text.length === DATE_TIME_LENGTH + 1 &&
    text.charCodeAt(10) === UPPER_T &&
    text.charCodeAt(DATE_TIME_LENGTH) === UPPER_Z;
  return isShaped ? parseDateTime(text) : undefined;
}

let lastTime = { epochMs: 0, text: '1970-01-01T00:00:00.000Z' };

/** Like `toISOString`, for callers that ask for the same instant repeatedly: V8 takes most of a microsecond for it. */
export function isoTime(epochMs: number): string {
  if (epochMs !== lastTime.epochMs) lastTime = { epochMs, text: new Date(epochMs).toISOString() };
  return lastTime.text;
}

/** Writes the form that {@link parseLoginTimestamp} reads, rounded down, for the years 0000 to 9999. */
export function formatSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, DATE_TIME_LENGTH)}Z`;
}

/**
 * Reads RFC 3339: a real date and time with a zone and up to nine decimals. With an offset the instant can lie
 * up to a day outside the years 0000 to 9999, where `toISOString` switches to six-digit years.
 */
export function parseEventTimestamp(text: string): EventTimestamp | undefined {
  const separator = text.charCodeAt(10);
  if (separator !== UPPER_T && separator !== LOWER_T) return undefined;
  const wholeMs = parseDateTime(text);
  if (wholeMs === undefined) return undefined;

  const fractionLength = measureFraction(text);
  if (fractionLength === undefined) return undefined;
  const zoneAt = DATE_TIME_LENGTH + fractionLength;
  const offsetMinutes = parseZone(text, zoneAt);
  if (offsetMinutes === undefined) return undefined;

  const nanosOfSecond = parseFraction(text, zoneAt);
  const millis = Math.floor(nanosOfSecond / 1_000_000);
  return {
    epochMs: wholeMs + millis - offsetMinutes * MS_PER_MINUTE,
    nanos: nanosOfSecond - millis * 1_000_000,
    isNormalForm:
      fractionLength === NORMAL_FRACTION_LENGTH &&
      separator === UPPER_T &&
      text.charCodeAt(zoneAt) === UPPER_Z,
  };
}

/** Reads the first 19 characters as UTC; the caller has looked at the separator between date and time. */
function parseDateTime(text: string): number | undefined {
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const year = century * 100 + yearOfCentury;
  const isReal =
    text.charCodeAt(4) === MINUS &&
    text.charCodeAt(7) === MINUS &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON &&
    century >= 0 &&
    yearOfCentury >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour >= 0 &&
    hour <= 23 &&
    minute >= 0 &&
    minute <= 59 &&
    second >= 0 &&
    second <= 59;
  if (!isReal) return undefined;
  // Date.UTC takes the years 0 to 99 for 1900 to 1999; 400 years later the calendar is the same.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second) - MS_PER_400_YEARS;
}

/** The length of `.123` including the point, 0 without one, undefined for no digits or too many. */
function measureFraction(text: string): number | undefined {
  if (text.charCodeAt(DATE_TIME_LENGTH) !== POINT) return 0;
  let end = DATE_TIME_LENGTH + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  const digits = end - DATE_TIME_LENGTH - 1;
  return digits >= 1 && digits <= MAX_FRACTION_DIGITS ? digits + 1 : undefined;
}

/** The decimals up to `end`, as nanoseconds. */
function parseFraction(text: string, end: number): number {
  let nanos = 0;
  let unit = 100_000_000;
  for (let at = DATE_TIME_LENGTH + 1; at < end; at++) {
    nanos += (text.charCodeAt(at) - ZERO) * unit;
    unit /= 10;
  }
  return nanos;
}

/** The offset in minutes of the zone that reaches from `at` to the end of the text. */
function parseZone(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at);
  if (sign === UPPER_Z || sign === LOWER_Z) return text.length === at + 1 ? 0 : undefined;
  if (sign !== PLUS && sign !== MINUS) return undefined;
  if (text.length !== at + '+hh:mm'.length || text.charCodeAt(at + 3) !== COLON) return undefined;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  return (sign === PLUS ? 1 : -1) * (hours * 60 + minutes);
}

/** Two decimal digits, or -1; past the end `charCodeAt` gives NaN, which is no digit either. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + (ones - ZERO) : -1;
}

function isDigit(charCode: number): boolean {
  return charCode >= ZERO && charCode <= ZERO + 9;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
