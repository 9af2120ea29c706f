import { parseEventTimestamp } from '../../lib/iso-time.js';

/** Half-open, each as `2026-11-15T00:00:00.000000Z`: to the microsecond, and in the order of the alphabet. */
export type Span = { from: string; to: string };

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a date, meaning its first moment in UTC, or an RFC 3339 time. Undefined for anything else. */
export function parseMoment(text: string): string | undefined {
  const time = parseEventTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) return undefined;
  const iso = new Date(time.epochMs).toISOString();
  // Years before 1 and after 9999, where an offset can lead, are written otherwise.
  if (!/^\d{4}-/.test(iso) || iso.startsWith('0000')) return undefined;
  return `${iso.slice(0, -1)}${String(Math.floor(time.nanos / 1000)).padStart(3, '0')}Z`;
}

/** `123456789` microseconds since 1970 in the form of a span's ends. */
export function momentOfMicros(micros: bigint): string {
  const below = ((micros % 1000n) + 1000n) % 1000n;
  const iso = new Date(Number((micros - below) / 1000n)).toISOString();
  return `${iso.slice(0, -1)}${String(below).padStart(3, '0')}Z`;
}

/**
 * Cuts a span at the borders of the daily partitions, so that each piece is read from one partition: over several of them
 * PostgreSQL would look for the first event of a game in each, for every page. What lies between them is in the
 * default partition and stays in one piece. Days that get or lose a partition meanwhile are read all the same.
 */
export function cutSpan({ from, to }: Span, partitionDays: readonly string[]): Span[] {
  const borders = new Set<string>([from, to]);
  for (const day of partitionDays) {
    for (const border of [startOf(day), startOf(nextDay(day))]) {
      if (border > from && border < to) borders.add(border);
    }
  }
  const sorted = [...borders].sort();
  return sorted.slice(1).map((end, n) => ({ from: sorted[n] ?? from, to: end }));
}

function startOf(day: string): string {
  return `${day}T00:00:00.000000Z`;
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
