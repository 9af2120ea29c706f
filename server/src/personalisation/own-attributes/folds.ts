import { createHash } from 'node:crypto';
import { DAY_MS } from '../../lib/day.js';
import { type Fold, OWN_LIMITS, type OwnDefinition } from './own-definition.js';
import { mergeDays, type PackedDays, packDays, unpackDays } from './packed-days.js';

/**
 * The folds of own attributes. Each turns the value of one event into an entry, and merges two entries. Merging is commutative and
 * associative, so any order and grouping of events gives the same entry.
 */

export type OwnValue = boolean | number | string;

/** As the state of a player holds it, in JSON. */
export type TimedEntry = readonly [value: OwnValue, atMs: number];
/** Whole numbers: of all time, and of the last days. */
export type SummedEntry = readonly [total: number, lastDay: number, days: PackedDays];
/** Eight characters for each value, the latest first: the last day in three digits to the base of 36, then its hash. */
export type DistinctEntry = string;
export type OwnEntry = TimedEntry | SummedEntry | DistinctEntry | number;

type OwnType = OwnDefinition['type'];

type FoldFunctions = Readonly<{
  entryOf: (value: OwnValue, atMs: number, type: OwnType) => OwnEntry;
  merge: (one: OwnEntry, other: OwnEntry) => OwnEntry;
}>;

/** Of the value of one event. */
export function entryOf({ fold, type }: OwnDefinition, value: OwnValue, atMs: number): OwnEntry {
  return FOLD_FUNCTIONS[fold].entryOf(value, atMs, type);
}

export function mergeEntries(fold: Fold, one: OwnEntry, other: OwnEntry): OwnEntry {
  return FOLD_FUNCTIONS[fold].merge(one, other);
}

/** Thousandths are exact whole numbers; sums of floating-point numbers depend on their order. */
export const UNITS_PER_NUMBER = 1_000;

function unitsOf(value: number, type: OwnType): number {
  return type === 'number' ? Math.round(value * UNITS_PER_NUMBER) : value;
}

/** In units: 14 such values of one day can be told. */
const MAX_SUMMAND = 1e11;

/** Whether a value can be added up. */
export function isSummable(value: number, type: OwnType): boolean {
  return Math.abs(unitsOf(value, type)) <= MAX_SUMMAND;
}

const COUNT_WIDTH = 3;
const MAX_DAY_COUNT = 36 ** COUNT_WIDTH - 1;
const MAX_COUNT = 1e12 - 1;
const SUM_WIDTH = 8;
const DAY_MODULUS = 36 ** SUM_WIDTH;
/** The sum of two is exact: it stays below 2^53. */
const TOTAL_MODULUS = 36 ** 10;

type Arithmetic = Readonly<{
  total: (one: number, other: number) => number;
  day: (one: number, other: number) => number;
}>;

/** Counts are never negative, so a limit at which they stay is the same in any order. */
const counted: Arithmetic = {
  total: (one, other) => Math.min(MAX_COUNT, one + other),
  day: (one, other) => Math.min(MAX_DAY_COUNT, one + other),
};

/** Sums have both signs: a limit would depend on the order, and a modulus does not. Days are written without a sign. */
const sumModulo: Arithmetic = {
  total: (one, other) => signed(one + other, TOTAL_MODULUS),
  day: (one, other) => modulo(one + other, DAY_MODULUS),
};

function modulo(number: number, modulus: number): number {
  const rest = number % modulus;
  return rest < 0 ? rest + modulus : rest;
}

function signed(number: number, modulus: number): number {
  const rest = modulo(number, modulus);
  return rest * 2 >= modulus ? rest - modulus : rest;
}

function summed(units: number, atMs: number, width: number, { total, day }: Arithmetic): SummedEntry {
  return [total(0, units), dayOf(atMs), packDays([day(0, units)], width)];
}

function mergeSums(one: OwnEntry, other: OwnEntry, width: number, arithmetic: Arithmetic): SummedEntry {
  const [totalA, lastA, daysA] = one as SummedEntry;
  const [totalB, lastB, daysB] = other as SummedEntry;
  const [last, days] = mergeDays(
    [lastA, unpackDays(daysA, width)],
    [lastB, unpackDays(daysB, width)],
    arithmetic.day,
  );
  return [arithmetic.total(totalA, totalB), last, packDays(days, width)];
}

const timed = (value: OwnValue, atMs: number): TimedEntry => [value, atMs];

/** Of equal times the greater value is the later one. */
function isLater([value, atMs]: TimedEntry, [otherValue, otherAtMs]: TimedEntry): boolean {
  return atMs === otherAtMs ? value > otherValue : atMs > otherAtMs;
}

const DISTINCT_WIDTH = 8;
const DAY_DIGITS = 3;
const HASH_DIGITS = DISTINCT_WIDTH - DAY_DIGITS;

function distinctOf(value: OwnValue, atMs: number): DistinctEntry {
  const hash = createHash('sha256').update(JSON.stringify(value)).digest('base64url');
  return distinctText(dayOf(atMs), hash.slice(0, HASH_DIGITS));
}

function distinctText(day: number, hash: string): DistinctEntry {
  return Math.max(0, day).toString(36).padStart(DAY_DIGITS, '0') + hash;
}

function valuesOf(entry: DistinctEntry): string[] {
  return entry.match(/.{8}/g) ?? [];
}

/**
 * The latest day of each value, and of all values those with the latest days. A value that is left out has as many others before it in
 * every larger group of events, so leaving it out early changes nothing.
 */
function mergeDistinct(one: OwnEntry, other: OwnEntry): DistinctEntry {
  const latest = new Map<string, string>();
  for (const value of [...valuesOf(one as string), ...valuesOf(other as string)]) {
    const hash = value.slice(DAY_DIGITS);
    const known = latest.get(hash);
    if (known === undefined || known < value) latest.set(hash, value);
  }
  return [...latest.values()].sort().reverse().slice(0, OWN_LIMITS.distinct).join('');
}

const FOLD_FUNCTIONS: Readonly<Record<Fold, FoldFunctions>> = {
  last: {
    entryOf: timed,
    merge: (one, other) => (isLater(other as TimedEntry, one as TimedEntry) ? other : one),
  },
  first: {
    entryOf: timed,
    merge: (one, other) => (isLater(one as TimedEntry, other as TimedEntry) ? other : one),
  },
  min: {
    entryOf: (value) => value as number,
    merge: (one, other) => Math.min(one as number, other as number),
  },
  max: {
    entryOf: (value) => value as number,
    merge: (one, other) => Math.max(one as number, other as number),
  },
  count: {
    entryOf: (_value, atMs) => summed(1, atMs, COUNT_WIDTH, counted),
    merge: (one, other) => mergeSums(one, other, COUNT_WIDTH, counted),
  },
  sum: {
    entryOf: (value, atMs, type) => summed(unitsOf(value as number, type), atMs, SUM_WIDTH, sumModulo),
    merge: (one, other) => mergeSums(one, other, SUM_WIDTH, sumModulo),
  },
  distinct: { entryOf: distinctOf, merge: mergeDistinct },
};

/** Of an entry that is a count or a sum, over the days from `firstDay` to `lastDay`. In units for sums. */
export function sumOfDays(
  fold: 'count' | 'sum',
  [, last, packed]: SummedEntry,
  firstDay: number,
  lastDay: number,
): number {
  const days = unpackDays(packed, fold === 'count' ? COUNT_WIDTH : SUM_WIDTH);
  let sum = 0;
  days.forEach((number, back) => {
    const day = last - back;
    if (day < firstDay || day > lastDay) return;
    sum += fold === 'count' ? number : signed(number, DAY_MODULUS);
  });
  return sum;
}

/** How many values were last seen on one of these days. */
export function distinctOfDays(entry: DistinctEntry, firstDay: number, lastDay: number): number {
  return valuesOf(entry).filter((value) => {
    const day = Number.parseInt(value.slice(0, DAY_DIGITS), 36);
    return day >= firstDay && day <= lastDay;
  }).length;
}

export function distinctTotal(entry: DistinctEntry): number {
  return entry.length / DISTINCT_WIDTH;
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** An entry with these numbers, of events that nobody knows. */
export function entryOfWindows(
  { fold, type }: OwnDefinition,
  { total, last7d, last28d }: Readonly<{ total: number; last7d: number; last28d: number }>,
  atMs: number,
): OwnEntry {
  const today = dayOf(atMs);
  if (fold === 'distinct') {
    const values = Array.from({ length: Math.min(total, OWN_LIMITS.distinct) }, (_, n) => {
      const daysAgo = n < last7d ? 0 : n < last28d ? 7 : OWN_LIMITS.windowDays;
      return distinctText(today - daysAgo, String(n).padStart(HASH_DIGITS, '0'));
    });
    return values.sort().reverse().join('');
  }
  const isCount = fold === 'count';
  const days = [last7d, 0, 0, 0, 0, 0, 0, last28d - last7d].map((number) =>
    isCount ? counted.day(0, number) : sumModulo.day(0, unitsOf(number, type)),
  );
  return [unitsOf(total, type), today, packDays(days, isCount ? COUNT_WIDTH : SUM_WIDTH)];
}
