/** How many events of a UTC day the service had counted at an instant. */
export type EventCount = { day: string; events: number; atMs: number };

export type EventRate = {
  /** The count that the next one is compared with. */
  last: EventCount;
  /** Undefined until there are two counts that can be compared. */
  perSecond: number | undefined;
};

/** Two counts that are closer say little: one batch between them would look like hundreds of events a second. */
const LEAST_SECONDS = 2;
/** Over a longer time, such as that of a tab in the background, an average is not what happens now. */
const MOST_SECONDS = 60;

/** What a further count says of the present. A new UTC day begins at zero, so counts of two days are not compared. */
export function nextRate(rate: EventRate | undefined, count: EventCount): EventRate {
  if (rate === undefined || rate.last.day !== count.day) return { last: count, perSecond: undefined };
  const seconds = (count.atMs - rate.last.atMs) / 1_000;
  if (seconds < LEAST_SECONDS) return rate;
  const events = Math.max(0, count.events - rate.last.events);
  return { last: count, perSecond: seconds > MOST_SECONDS ? undefined : events / seconds };
}
