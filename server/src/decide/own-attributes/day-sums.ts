import { OWN_LIMITS, type OwnType } from './own-definition.js';

/**
 * Whole numbers: of all time, and of the last days. The days are one text, a fixed number of digits for each day, to the base of 36,
 * the latest day first. Days at the end that have 0 are left out.
 */
export type SummedEntry = readonly [total: number, lastDay: number, days: string];

/** How numbers are added up. The order must not matter, whatever they are. */
export type Arithmetic = Readonly<{
  /** Digits of a day. */
  width: number;
  total: (one: number, other: number) => number;
  /** Days are written without a sign. */
  day: (one: number, other: number) => number;
  /** What was written, with its sign. */
  read: (day: number) => number;
}>;

const BASE = 36;
const COUNT_WIDTH = 3;
const MAX_DAY_COUNT = BASE ** COUNT_WIDTH - 1;
const MAX_COUNT = 1e12 - 1;
const SUM_WIDTH = 8;
const DAY_MODULUS = BASE ** SUM_WIDTH;
/** The sum of two is exact: it stays below 2^53. */
const TOTAL_MODULUS = BASE ** 10;

/** Counts are never negative, so a limit at which they stay is the same in any order. */
export const COUNTS: Arithmetic = {
  width: COUNT_WIDTH,
  total: (one, other) => Math.min(MAX_COUNT, one + other),
  day: (one, other) => Math.min(MAX_DAY_COUNT, one + other),
  read: (day) => day,
};

/** Sums have both signs: a limit would depend on the order, and a modulus does not. */
export const SUMS: Arithmetic = {
  width: SUM_WIDTH,
  total: (one, other) => signed(one + other, TOTAL_MODULUS),
  day: (one, other) => modulo(one + other, DAY_MODULUS),
  read: (day) => signed(day, DAY_MODULUS),
};

function modulo(number: number, modulus: number): number {
  const rest = number % modulus;
  return rest < 0 ? rest + modulus : rest;
}

function signed(number: number, modulus: number): number {
  const rest = modulo(number, modulus);
  return rest * 2 >= modulus ? rest - modulus : rest;
}

/** Thousandths are exact whole numbers; sums of floating-point numbers depend on their order. */
export const UNITS_PER_NUMBER = 1_000;

export function unitsOf(value: number, type: OwnType): number {
  return type === 'number' ? Math.round(value * UNITS_PER_NUMBER) : value;
}

/** In units: 14 such values of one day can be told. */
const MAX_SUMMAND = 1e11;

/** Whether a value can be added up. */
export function isSummable(value: number, type: OwnType): boolean {
  return Math.abs(unitsOf(value, type)) <= MAX_SUMMAND;
}

/** Sums by day, in the making. Days before the last 28 of those that were added are left out: by them, not by the clock. */
export class DaySums {
  readonly #arithmetic: Arithmetic;
  #total = 0;
  #lastDay = Number.NEGATIVE_INFINITY;
  /** The latest first. */
  #days: number[] = [];

  constructor(arithmetic: Arithmetic, entry: SummedEntry | null) {
    this.#arithmetic = arithmetic;
    if (entry === null) return;
    const [total, lastDay, packed] = entry;
    this.#total = total;
    this.#lastDay = lastDay;
    this.#days = unpack(packed, arithmetic.width);
  }

  add(units: number, day: number): void {
    const { total, day: addToDay } = this.#arithmetic;
    this.#total = total(this.#total, units);
    if (day > this.#lastDay) this.#moveTo(day);
    const back = this.#lastDay - day;
    if (back >= OWN_LIMITS.windowDays) return;
    while (this.#days.length <= back) this.#days.push(0);
    this.#days[back] = addToDay(this.#days[back] ?? 0, units);
  }

  #moveTo(day: number): void {
    const empty = Math.min(day - this.#lastDay, OWN_LIMITS.windowDays);
    this.#days = [...Array<number>(empty).fill(0), ...this.#days].slice(0, OWN_LIMITS.windowDays);
    this.#lastDay = day;
  }

  entry(): SummedEntry {
    return [this.#total, this.#lastDay, pack(this.#days, this.#arithmetic.width)];
  }
}

function pack(days: readonly number[], width: number): string {
  const count = days.findLastIndex((day) => day !== 0) + 1;
  let packed = '';
  for (let back = 0; back < count; back++) packed += (days[back] ?? 0).toString(BASE).padStart(width, '0');
  return packed;
}

function unpack(packed: string, width: number): number[] {
  const days: number[] = [];
  for (let at = 0; at < packed.length; at += width) {
    days.push(Number.parseInt(packed.slice(at, at + width), BASE));
  }
  return days;
}

/** Over the days from `firstDay` to `lastDay`, in units. */
export function sumOfDays(
  { width, read }: Arithmetic,
  [, last, packed]: SummedEntry,
  firstDay: number,
  lastDay: number,
): number {
  let sum = 0;
  for (const [back, day] of unpack(packed, width).entries()) {
    if (last - back >= firstDay && last - back <= lastDay) sum += read(day);
  }
  return sum;
}
