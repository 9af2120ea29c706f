/** Splits a list so that no part has a key twice: the first of each key are in the first part, the second ones in the next. */
export function withoutRepeats<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const parts: T[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    const part = parts[times];
    if (part === undefined) parts.push([item]);
    else part.push(item);
  }
  return parts;
}
