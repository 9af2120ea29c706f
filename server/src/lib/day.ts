/** A UTC day in milliseconds. */
export const DAY_MS = 86_400_000;

/** `2026-11-15` from days since 1970. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
