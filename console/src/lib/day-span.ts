import { daysBefore } from './dashboard.js';

/** The days that a page shows, as its address has them: the last n days, or from one day to another. */
export type SpanSearch = { days?: string | undefined; from?: string | undefined; to?: string | undefined };

/** `days` is null for a span of dates. Both ends are included. */
export type DaySpan = { days: string | null; from: string; to: string };

/** As many as the admin API takes. */
const MAX_DAYS = 366;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What the address says; the last `fallback` days if it says nothing that makes sense. */
export function readSpan(
  { days, from, to }: SpanSearch,
  today: string,
  { choices, fallback }: { choices: readonly string[]; fallback: string },
): DaySpan {
  if (isDay(from) && isDay(to) && from <= to && from <= today) {
    return { days: null, from, to: earliest(to, daysBefore(from, 1 - MAX_DAYS), today) };
  }
  const known = choices.find((choice) => choice === days) ?? fallback;
  return { days: known, from: daysBefore(today, Number(known) - 1), to: today };
}

/**
 * The days to ask for so that the figures of today can also be compared with the week before. A span that ends too long ago is
 * asked for alone.
 */
export function askedDays({ from, to }: DaySpan, today: string): { from: string; to: string } {
  const first = earliest(from, daysBefore(today, 7));
  return daysBefore(first, 1 - MAX_DAYS) >= today ? { from: first, to: today } : { from, to };
}

/** Another first day: a last day before it moves along. */
export function beginAt({ to }: DaySpan, from: string): SpanSearch {
  return { days: undefined, from, to: to < from ? from : to };
}

/** Another last day: a first day behind it, or too far before it, moves along. */
export function endAt({ from }: DaySpan, to: string): SpanSearch {
  const first = daysBefore(to, MAX_DAYS - 1);
  return { days: undefined, from: from > to ? to : from < first ? first : from, to };
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text));
}

function earliest(...days: readonly [string, ...string[]]): string {
  return days.reduce((first, day) => (day < first ? day : first));
}
