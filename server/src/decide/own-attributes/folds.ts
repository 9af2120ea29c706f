import { hash } from 'node:crypto';
import { DAY_MS } from '../../platform/lib/day.js';
import { type Arithmetic, COUNTS, DaySums, SUMS, type SummedEntry, unitsOf } from './day-sums.js';
import { type Fold, OWN_LIMITS, type OwnDefinition, type OwnType } from './own-definition.js';

/**
 * The folds of own attributes. Each takes up the values of events, in any order: the entry that it gives is always the same. An entry
 * is what is stored of a player; a fold goes on from it.
 */

export type OwnValue = boolean | number | string;

/** As the state of a player holds it, in JSON. */
export type TimedEntry = readonly [value: OwnValue, atMs: number];
/** Eight characters for each value, the latest first: the last day in three digits to the base of 36, then its hash. */
export type DistinctEntry = string;
export type OwnEntry = TimedEntry | SummedEntry | DistinctEntry | number;

/** An attribute of one player in the making. */
export type Accumulator = Readonly<{ add(value: OwnValue, atMs: number): void; entry(): OwnEntry }>;

/** Goes on from an entry, or begins with the value of an event. */
export function createAccumulator({ fold, type }: OwnDefinition, entry: OwnEntry | null): Accumulator {
  return ACCUMULATORS[fold](entry, type);
}

const ACCUMULATORS: Readonly<Record<Fold, (entry: OwnEntry | null, type: OwnType) => Accumulator>> = {
  last: (entry) => new Timed(entry as TimedEntry | null, 1),
  first: (entry) => new Timed(entry as TimedEntry | null, -1),
  min: (entry) => new Extreme(entry as number | null, Math.min),
  max: (entry) => new Extreme(entry as number | null, Math.max),
  count: (entry) => new Summed(entry as SummedEntry | null, COUNTS, () => 1),
  sum: (entry, type) =>
    new Summed(entry as SummedEntry | null, SUMS, (value) => unitsOf(value as number, type)),
  distinct: (entry) => new Distinct(entry as DistinctEntry | null),
};

/** `sign` is 1 for the last value, and -1 for the first. Of equal times the greater value is the later one. */
class Timed implements Accumulator {
  readonly #sign: 1 | -1;
  #value: OwnValue | null;
  #atMs: number;

  constructor(entry: TimedEntry | null, sign: 1 | -1) {
    this.#sign = sign;
    this.#value = entry?.[0] ?? null;
    this.#atMs = entry?.[1] ?? Number.NEGATIVE_INFINITY * sign;
  }

  add(value: OwnValue, atMs: number): void {
    const later = (atMs - this.#atMs) * this.#sign;
    if (later < 0) return;
    if (later === 0 && this.#value !== null && value > this.#value !== this.#sign > 0) return;
    this.#value = value;
    this.#atMs = atMs;
  }

  entry(): TimedEntry {
    return [known(this.#value), this.#atMs];
  }
}

class Extreme implements Accumulator {
  readonly #choose: (one: number, other: number) => number;
  #entry: number | null;

  constructor(entry: number | null, choose: (one: number, other: number) => number) {
    this.#entry = entry;
    this.#choose = choose;
  }

  add(value: OwnValue): void {
    this.#entry = this.#entry === null ? (value as number) : this.#choose(this.#entry, value as number);
  }

  entry(): number {
    return known(this.#entry);
  }
}

class Summed implements Accumulator {
  readonly #sums: DaySums;
  readonly #unitsOf: (value: OwnValue) => number;

  constructor(entry: SummedEntry | null, arithmetic: Arithmetic, ofValue: (value: OwnValue) => number) {
    this.#sums = new DaySums(arithmetic, entry);
    this.#unitsOf = ofValue;
  }

  add(value: OwnValue, atMs: number): void {
    this.#sums.add(this.#unitsOf(value), dayOf(atMs));
  }

  entry(): SummedEntry {
    return this.#sums.entry();
  }
}

const DISTINCT_WIDTH = 8;
const DAY_DIGITS = 3;
const HASH_DIGITS = DISTINCT_WIDTH - DAY_DIGITS;
/** Old values are left out now and then, not for each new one. */
const MAX_PENDING = 4 * OWN_LIMITS.distinct;

/** The same few values come from many players, and hashing takes longer than all else. */
const MAX_HASHES = 10_000;
const MAX_HASHED_LENGTH = 100;
const hashes = new Map<OwnValue, string>();

function hashOf(value: OwnValue): string {
  const kept = hashes.get(value);
  if (kept !== undefined) return kept;
  const hashed = hash('sha256', JSON.stringify(value), 'base64url').slice(0, HASH_DIGITS);
  if (hashes.size >= MAX_HASHES) hashes.clear();
  if (typeof value !== 'string' || value.length <= MAX_HASHED_LENGTH) hashes.set(value, hashed);
  return hashed;
}

/**
 * The latest day of each value, and of all values those with the latest days. A value that is left out has as many others before it in
 * every larger group of events, so leaving it out early changes nothing.
 */
class Distinct implements Accumulator {
  #lastDays = new Map<string, number>();

  constructor(entry: DistinctEntry | null) {
    for (const text of valuesOf(entry ?? '')) this.#lastDays.set(text.slice(DAY_DIGITS), dayIn(text));
  }

  add(value: OwnValue, atMs: number): void {
    const hashed = hashOf(value);
    this.#lastDays.set(hashed, Math.max(this.#lastDays.get(hashed) ?? 0, dayOf(atMs)));
    if (this.#lastDays.size > MAX_PENDING) this.#lastDays = new Map(this.#latest());
  }

  #latest(): [hash: string, day: number][] {
    return [...this.#lastDays]
      .sort(([hashA, dayA], [hashB, dayB]) => dayB - dayA || (hashA < hashB ? 1 : -1))
      .slice(0, OWN_LIMITS.distinct);
  }

  entry(): DistinctEntry {
    return this.#latest()
      .map(([hashed, day]) => distinctText(day, hashed))
      .join('');
  }
}

function distinctText(day: number, hashed: string): string {
  return day.toString(36).padStart(DAY_DIGITS, '0') + hashed;
}

function dayIn(text: string): number {
  return Number.parseInt(text.slice(0, DAY_DIGITS), 36);
}

function valuesOf(entry: DistinctEntry): string[] {
  return entry.match(/.{8}/g) ?? [];
}

/** How many values were last seen on one of these days. */
export function distinctOfDays(entry: DistinctEntry, firstDay: number, lastDay: number): number {
  return valuesOf(entry).filter((text) => dayIn(text) >= firstDay && dayIn(text) <= lastDay).length;
}

export function distinctTotal(entry: DistinctEntry): number {
  return entry.length / DISTINCT_WIDTH;
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

function known<T>(entry: T | null): T {
  if (entry === null) throw new Error('there is no value yet');
  return entry;
}

/** An entry with these numbers, of events that nobody knows. */
export function entryOfWindows(
  { fold, type }: OwnDefinition,
  { total, last7d, last28d }: Readonly<{ total: number; last7d: number; last28d: number }>,
  atMs: number,
): OwnEntry {
  const today = dayOf(atMs);
  if (fold === 'distinct') {
    return Array.from({ length: Math.min(total, OWN_LIMITS.distinct) }, (_, n) => {
      const daysAgo = n < last7d ? 0 : n < last28d ? 7 : OWN_LIMITS.windowDays;
      return distinctText(today - daysAgo, String(n).padStart(HASH_DIGITS, '0'));
    }).join('');
  }
  const sums = new DaySums(fold === 'count' ? COUNTS : SUMS, null);
  sums.add(unitsOf(last7d, type), today);
  sums.add(unitsOf(last28d - last7d, type), today - 7);
  sums.add(unitsOf(total - last28d, type), today - OWN_LIMITS.windowDays);
  return sums.entry();
}
