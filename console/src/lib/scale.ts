const MOST_TICKS = 4;

/** Round numbers for an axis that begins at zero: at most four of them above it, and none between two whole ones of a count. */
export function ticksUpTo(max: number, { isCount = false } = {}): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = Math.max(max / MOST_TICKS, isCount ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(max / step - 1e-9);
  // Multiplied, not added up: sums such as 0.1 + 0.2 would show rounding errors.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Which positions of an axis get a label, at most `most` of them: always the last, then evenly back. */
export function labelledPlaces(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const places: number[] = [];
  for (let place = count - 1; place >= 0; place -= step) places.push(place);
  return places.reverse();
}

/** Which positions get a label where they are not spread evenly: the last, then each that is far enough from the one behind it. */
export function spacedPlaces(at: readonly number[], apart: number): number[] {
  const places: number[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (let place = at.length - 1; place >= 0; place--) {
    const here = at[place] ?? 0;
    if (next - here < apart) continue;
    places.push(place);
    next = here;
  }
  return places.reverse();
}
