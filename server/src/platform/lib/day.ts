export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** A UTC day. */
export const DAY_MS = 24 * HOUR_MS;

/** `2026-11-15` from days since 1970. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The way back. */
export function dayNumber(date: string): number {
  return Date.parse(date) / DAY_MS;
}

/** The UTC day of an instant, such as `2026-11-15`. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
