import { ApiError } from '../../platform/errors.js';
import { parseEventTimestamp } from '../../platform/lib/iso-time.js';

/** Half-open, each as `2026-11-15T00:00:00.000000Z`: to the microsecond, and in the order of the alphabet. */
export type Span = { from: string; to: string };

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a date, which means its start in UTC, or an RFC 3339 time. Undefined for anything else. */
export function parseInstant(text: string): string | undefined {
  const time = parseEventTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) return undefined;
  const iso = new Date(time.epochMs).toISOString();
  // Years before 1 and after 9999, which an offset can lead to, have another form.
  if (!/^\d{4}-/.test(iso) || iso.startsWith('0000')) return undefined;
  return `${iso.slice(0, -1)}${String(Math.floor(time.nanos / 1000)).padStart(3, '0')}Z`;
}

/** An instant in the query of a request, as epoch milliseconds. */
export function instantParameter(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant !== undefined) return Date.parse(instant);
  throw new ApiError('parameter_invalid', {
    message: `${name} must be a date such as 2026-11-15 or a time such as 2026-11-15T14:00:00Z.`,
  });
}
