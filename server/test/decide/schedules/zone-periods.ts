/** What the clocks of a zone show, found by asking `Intl` alone: the slow half of the oracle. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const FIRST_INSTANT = Date.UTC(2023, 11, 1);
export const LAST_INSTANT = Date.UTC(2029, 1, 1);

/** From `from` on, clocks are `offset` milliseconds ahead of UTC. */
export type ZonePeriod = Readonly<{ from: number; until: number; offset: number }>;

export function zonePeriods(timeZone: string): ZonePeriod[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsetAt = (instant: number): number => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      format.format(instant).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
  };
  const periods: ZonePeriod[] = [];
  let from = Number.NEGATIVE_INFINITY;
  let offset = offsetAt(FIRST_INSTANT);
  for (let day = FIRST_INSTANT; day < LAST_INSTANT; day += DAY_MS) {
    const after = offsetAt(day + DAY_MS);
    if (after === offset) continue;
    let [low, high] = [day, day + DAY_MS];
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    periods.push({ from, until: high, offset });
    from = high;
    offset = after;
  }
  return [...periods, { from, until: Number.POSITIVE_INFINITY, offset }];
}

/** The first instant at which the clock shows a local time; that of the clock without the change, where it never does. */
export function instantOfLocal(
  local: number,
  periods: readonly ZonePeriod[],
): { at: number; isInGap: boolean } {
  const shown = periods.filter(({ from, until, offset }) => from <= local - offset && local - offset < until);
  const [first] = shown;
  if (first !== undefined) return { at: local - first.offset, isInGap: false };
  const before = periods.find(({ until, offset }, n) => {
    const next = periods[n + 1];
    return next !== undefined && until <= local - offset && local - next.offset < next.from;
  });
  if (before === undefined) throw new Error('neither shown nor in a gap');
  return { at: local - before.offset, isInGap: true };
}

/** The first instant of a local day: where midnight is skipped, the instant of the change. */
export function startOfLocalDay(local: number, periods: readonly ZonePeriod[]): number {
  const { at, isInGap } = instantOfLocal(local, periods);
  if (!isInGap) return at;
  const change = periods.find(({ from, offset }) => from + offset > local);
  return change?.from ?? at;
}
