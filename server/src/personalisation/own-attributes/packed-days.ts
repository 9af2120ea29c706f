import { OWN_LIMITS } from './own-definition.js';

/**
 * Numbers of the last days as one text: a fixed number of digits for each day, to the base of 36, the latest day first. Days at the
 * end that have 0 are left out.
 */
export type PackedDays = string;

const BASE = 36;

export function packDays(numbers: readonly number[], width: number): PackedDays {
  const packed = numbers.map((number) => number.toString(BASE).padStart(width, '0')).join('');
  return packed.slice(0, Math.ceil(packed.replace(/0+$/, '').length / width) * width);
}

export function unpackDays(packed: PackedDays, width: number): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < packed.length; at += width) {
    numbers.push(Number.parseInt(packed.slice(at, at + width), BASE));
  }
  return numbers;
}

/** How far two lists of days lie apart, and what both have together from the later one's last day on. */
export function mergeDays(
  [lastA, a]: readonly [lastDay: number, days: readonly number[]],
  [lastB, b]: readonly [lastDay: number, days: readonly number[]],
  add: (one: number, other: number) => number,
): readonly [lastDay: number, days: number[]] {
  const last = Math.max(lastA, lastB);
  const days: number[] = [];
  const length = Math.min(OWN_LIMITS.windowDays, Math.max(a.length + last - lastA, b.length + last - lastB));
  for (let back = 0; back < length; back++) {
    days.push(add(a[back - (last - lastA)] ?? 0, b[back - (last - lastB)] ?? 0));
  }
  return [last, days];
}
