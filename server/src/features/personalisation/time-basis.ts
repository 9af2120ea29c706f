import { DAY_MS, type PlayerFacts } from './player-facts.js';

/**
 * When values change by the mere passing of time. Every attribute of a rule has such a basis; a rule, and whatever is
 * decided by it, has the union of those of the attributes it reads. Bases are bits, so that a union costs nothing.
 */
export type TimeBasis = number;

export const TIME_BASIS = Object.freeze({
  /** Only events and publications change it. */
  never: 0,
  /** Windows of days move at midnight UTC. */
  midnight: 1,
  /** Whole days since a moment change at that moment plus whole days. */
  firstSeen: 2,
  lastEvent: 4,
  lastPurchase: 8,
});

/**
 * The next moment after `now` at which something on this basis can change with time alone; Infinity for never. It is
 * never too late and often too early: it looks at what is read, not at what it is compared with.
 */
export function nextTimeChange(basis: TimeBasis, facts: PlayerFacts, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  if (basis & TIME_BASIS.midnight) next = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  if (basis & TIME_BASIS.firstSeen) next = Math.min(next, nextDaySince(facts.createdAt, now));
  if (basis & TIME_BASIS.lastEvent) next = Math.min(next, nextDaySince(lastSeenAt(facts), now));
  if (basis & TIME_BASIS.lastPurchase && facts.lastPurchaseAt !== null) {
    next = Math.min(next, nextDaySince(facts.lastPurchaseAt, now));
  }
  return next;
}

/** Whole days since a moment; 0 also for a moment that is yet to come, as another node's clock may have it. */
export function daysSince(moment: number, now: number): number {
  return now <= moment ? 0 : Math.floor((now - moment) / DAY_MS);
}

function nextDaySince(moment: number, now: number): number {
  return moment + (daysSince(moment, now) + 1) * DAY_MS;
}

/** A player who never sent an event was last seen at the first login. */
export function lastSeenAt(facts: PlayerFacts): number {
  return facts.lastEventAt ?? facts.createdAt;
}
