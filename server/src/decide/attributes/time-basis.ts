import { DAY_MS } from '../../platform/lib/day.js';
import { epochDay, type PlayerFacts } from './player-facts.js';

/**
 * When values change by the passing of time alone. Every attribute of a rule has such a basis; a rule, and everything that it
 * decides, has the union of the bases of the attributes it reads. Bases are bits, so that a union costs nothing.
 */
export type TimeBasis = number;

export const TIME_BASIS = Object.freeze({
  /** Only events and publications change it. */
  never: 0,
  /** Windows of days move at midnight UTC. */
  midnight: 1,
  /** Whole days since an instant change at that instant plus whole days. */
  firstSeen: 2,
  lastEvent: 4,
  lastPurchase: 8,
  /** Scores change at midnight UTC, also long after windows of days are empty, and with a new model. The bits between are in `dependence.ts`. */
  predictions: 64,
});

/** The longest window. */
const WINDOW_DAYS = 28;

/**
 * The next instant after `now` at which something on this basis can change with time alone; Infinity for never. It is never
 * too late and often too early: it depends on what is read, not on what that is compared with.
 */
export function nextTimeChange(basis: TimeBasis, facts: PlayerFacts, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  if (basis & (TIME_BASIS.midnight | TIME_BASIS.predictions)) next = (epochDay(now) + 1) * DAY_MS;
  if (basis & TIME_BASIS.firstSeen) next = Math.min(next, nextDaySince(firstSeenAt(facts), now));
  if (basis & TIME_BASIS.lastEvent) next = Math.min(next, nextDaySince(lastSeenAt(facts), now));
  if (basis & TIME_BASIS.lastPurchase && facts.lastPurchaseAt !== null) {
    next = Math.min(next, nextDaySince(facts.lastPurchaseAt, now));
  }
  return next;
}

/**
 * The last instant up to `now` at which something on this basis can have changed with time alone; minus Infinity if there was
 * none. 28 days after the player's last event, windows are empty.
 */
export function lastTimeChange(basis: TimeBasis, facts: PlayerFacts, now: number): number {
  let last = Number.NEGATIVE_INFINITY;
  if (basis & TIME_BASIS.midnight) {
    last = Math.min(epochDay(now), epochDay(lastActAt(facts)) + WINDOW_DAYS) * DAY_MS;
  }
  if (basis & TIME_BASIS.predictions) last = epochDay(now) * DAY_MS;
  if (basis & TIME_BASIS.firstSeen) last = Math.max(last, lastDaySince(firstSeenAt(facts), now));
  if (basis & TIME_BASIS.lastEvent) last = Math.max(last, lastDaySince(lastSeenAt(facts), now));
  if (basis & TIME_BASIS.lastPurchase && facts.lastPurchaseAt !== null) {
    last = Math.max(last, lastDaySince(facts.lastPurchaseAt, now));
  }
  return last;
}

/** Whole days since an instant; 0 also for an instant in the future, which another node's clock may have set. */
export function daysSince(instant: number, now: number): number {
  return now <= instant ? 0 : Math.floor((now - instant) / DAY_MS);
}

function nextDaySince(instant: number, now: number): number {
  return instant + (daysSince(instant, now) + 1) * DAY_MS;
}

/** The first day is not over, so nothing has changed since. */
function lastDaySince(instant: number, now: number): number {
  const days = daysSince(instant, now);
  return days === 0 ? Number.NEGATIVE_INFINITY : instant + days * DAY_MS;
}

/** The time of the last event or purchase, or minus Infinity. A purchase is an event, but may be known from elsewhere. */
export function lastActAt({ lastEventAt, lastPurchaseAt }: PlayerFacts): number {
  return Math.max(lastEventAt ?? Number.NEGATIVE_INFINITY, lastPurchaseAt ?? Number.NEGATIVE_INFINITY);
}

type FirstSeen = Readonly<{ createdAt: number; history: Pick<PlayerFacts['history'], 'firstDay'> }>;

/**
 * The first login; or the beginning of the day of the first event, if that is a day before: events may be from before the player
 * was known here. Cohorts and predictions begin on the same day.
 */
export function firstSeenAt({ createdAt, history: { firstDay } }: FirstSeen): number {
  return firstDay !== null && firstDay < epochDay(createdAt) ? firstDay * DAY_MS : createdAt;
}

/** A player who never sent an event was last seen at the first login. */
export function lastSeenAt(facts: PlayerFacts): number {
  return facts.lastEventAt ?? facts.createdAt;
}
