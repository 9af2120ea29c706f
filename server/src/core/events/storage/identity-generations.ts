/** Generations of identities: each is named by the first day of a quarter of a year, in UTC, as `2026-10-01`. */
type Quarter = { fromMs: number; endMs: number; name: string; previous: string; next: string };

export function generationOf(epochMs: number): string {
  return quarterOf(epochMs).name;
}

export function previousGeneration(epochMs: number): string {
  return quarterOf(epochMs).previous;
}

export function nextGeneration(epochMs: number): string {
  return quarterOf(epochMs).next;
}

/** Nearly all events of a moment are of one quarter. */
let latest: Quarter | undefined;

function quarterOf(epochMs: number): Quarter {
  if (latest !== undefined && epochMs >= latest.fromMs && epochMs < latest.endMs) return latest;
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() - (date.getUTCMonth() % 3);
  latest = {
    fromMs: Date.UTC(year, month, 1),
    endMs: Date.UTC(year, month + 3, 1),
    name: dayText(year, month),
    previous: dayText(year, month - 3),
    next: dayText(year, month + 3),
  };
  return latest;
}

function dayText(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}
