/** A generation of identities: the first day of a quarter of a year, in UTC, as `2026-10-01`. */
export function generationOf(epochMs: number): string {
  if (epochMs >= cached.fromMs && epochMs < cached.endMs) return cached.day;
  const date = new Date(epochMs);
  return remember(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / 3));
}

export function previousGeneration(epochMs: number): string {
  const date = new Date(epochMs);
  return dayText(date.getUTCFullYear(), 3 * Math.floor(date.getUTCMonth() / 3) - 3);
}

export function nextGeneration(epochMs: number): string {
  const date = new Date(epochMs);
  return dayText(date.getUTCFullYear(), 3 * Math.floor(date.getUTCMonth() / 3) + 3);
}

/** Nearly all events of a moment are of one generation. */
let cached = { fromMs: 0, endMs: 0, day: '' };

function remember(year: number, quarter: number): string {
  const fromMs = Date.UTC(year, 3 * quarter, 1);
  const endMs = Date.UTC(year, 3 * quarter + 3, 1);
  cached = { fromMs, endMs, day: dayText(year, 3 * quarter) };
  return cached.day;
}

function dayText(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}
