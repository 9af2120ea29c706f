/** Numbers, money and times in the viewer's language. */

/** Tests run without a browser and use English. */
const LANGUAGE = typeof window === 'undefined' ? 'en-US' : [...navigator.languages];

export function formatCount(value: number): string {
  return new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 }).format(value);
}

/** `12.4k` where there is no room for more. */
export function formatShort(value: number): string {
  return new Intl.NumberFormat(LANGUAGE, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** `0.05`, `1.5` or `12.3`: an amount on an axis, whose title has the currency. */
export function formatAxisAmount(value: number): string {
  return new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 }).format(value);
}

/** A number of events a second or a day: `1,204`, and `0.4` or `0.03` where a whole number would be too coarse. */
export function formatRate(rate: number): string {
  return new Intl.NumberFormat(LANGUAGE, digitsOf(rate)).format(rate);
}

/** A share of 0 to 1 as a percentage: `38%`, and `0.4%` or `0.03%` where a whole number would be too coarse. */
export function formatShare(share: number): string {
  return new Intl.NumberFormat(LANGUAGE, { style: 'percent', ...digitsOf(100 * share) }).format(share);
}

/** One in hundreds must not look like none; what is smaller may be a rounding error. */
function digitsOf(value: number): Intl.NumberFormatOptions {
  const size = Math.abs(value);
  if (size >= 0.001 && size < 0.05) return { maximumSignificantDigits: 1 };
  return { maximumFractionDigits: size < 10 ? 1 : 0 };
}

/** Money always has its currency. Decimal texts stay exact, because they are not parsed as numbers. */
export function formatMoney(amount: number | string, currency: string): string {
  try {
    const format = new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency, currencyDisplay: 'code' });
    return format.format(amount as number).replace(/\u00a0/g, ' ');
  } catch {
    return `${amount} ${currency}`;
  }
}

/** `12.50 USD, 3.00 EUR`, or a dash. */
export function formatAmounts(amounts: Readonly<Record<string, number | string>>): string {
  const parts = Object.entries(amounts).map(([currency, amount]) => formatMoney(amount, currency));
  return parts.length === 0 ? '–' : parts.join(', ');
}

export function formatInstant(text: string): string {
  return new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(text),
  );
}

/** `Saturday, Nov 21, 00:00 UTC`, where people of several zones speak of one instant. The year is named if it is another one. */
export function formatUtc(text: string, nowMs = Date.now()): string {
  const date = new Date(text);
  const isOtherYear = date.getUTCFullYear() !== new Date(nowMs).getUTCFullYear();
  const format = new Intl.DateTimeFormat(LANGUAGE, {
    weekday: 'long',
    day: 'numeric',
    month: 'short',
    ...(isOtherYear && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
  return `${format.format(date)} UTC`;
}

export function formatClock(text: string): string {
  return new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'medium' }).format(new Date(text));
}

const dayFormat = () =>
  new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const startOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** A UTC day such as 2026-11-15, without a shift into the viewer's zone. */
export function formatDay(day: string): string {
  return dayFormat().format(startOf(day));
}

/** `Mon`, of a UTC day. */
export function formatWeekday(day: string): string {
  return new Intl.DateTimeFormat(LANGUAGE, { weekday: 'short', timeZone: 'UTC' }).format(startOf(day));
}

/** `Nov 2 – 8`; one day as `formatDay` shows it. */
export function formatDays(from: string, to: string): string {
  return dayFormat().formatRange(startOf(from), startOf(to));
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `12 days ago`, `in 3 hours`, `now`. */
export function formatRelative(instantMs: number, nowMs: number): string {
  const distance = instantMs - nowMs;
  const format = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });
  for (const [unit, size] of UNITS) {
    if (Math.abs(distance) >= size) return format.format(Math.round(distance / size), unit);
  }
  return format.format(0, 'second');
}

/** `812 B`, `61.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** `3 changes`, `1 change`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** For `<input type="datetime-local">`, in the viewer's zone. */
export function toLocalInput(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocalInput(text: string): string | null {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? null : date.toISOString().replace('.000Z', 'Z');
}
