import type { Span } from './calendar.js';

/** A month such as `2026-11`, and its days. */

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The month of the text, or that of the instant in the zone. */
export function monthOf(text: string | undefined, nowMs: number, zone: string): string {
  if (text !== undefined && MONTH.test(text)) return text;
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit' })
    .format(nowMs)
    .slice(0, 7);
}

export function monthAfter(month: string, months: number): string {
  const date = new Date(`${month}-15T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
}

export function daysOfMonth(month: string): { from: string; to: string; days: number } {
  const next = new Date(`${monthAfter(month, 1)}-01T00:00:00Z`);
  const days = new Date(next.getTime() - 1).getUTCDate();
  return { from: `${month}-01`, to: `${month}-${String(days).padStart(2, '0')}`, days };
}

export function monthInWords(month: string): string {
  return new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-15T00:00:00Z`),
  );
}

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

export type ShownWindow = { from: string | null; until: string | null };

/** `Sat 21 Nov, 18:00 – 22:00`, in the zone. */
export function windowInWords({ from, until }: ShownWindow, zone: string): string {
  const day = new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  const time = new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const dayOf = (at: string) => day.format(new Date(at));
  const whole = (at: string) => `${dayOf(at)}, ${time.format(new Date(at))}`;
  if (from === null || until === null) {
    return `${from === null ? 'always' : whole(from)} – ${until === null ? 'open end' : whole(until)}`;
  }
  const end = dayOf(from) === dayOf(until) ? time.format(new Date(until)) : whole(until);
  return `${whole(from)} – ${end}`;
}

/** The first windows of a month in words, and how many more there are. */
export function windowsInWords(windows: readonly ShownWindow[], zone: string, most = 3): string {
  const shown = windows.slice(0, most).map((window) => windowInWords(window, zone));
  const more = windows.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

export function spanBetween(from: string, to: string): Span {
  return { fromMs: Date.parse(from), untilMs: Date.parse(to) };
}
