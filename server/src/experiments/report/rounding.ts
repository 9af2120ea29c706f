import type { Interval } from '@savepoint/statistics';

const DIGITS = 6;

/** As many digits as anybody reads. Fixed decimals would make a small difference zero. */
export function significant(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

export function roundedInterval({ low, high }: Interval): Interval {
  return { low: significant(low), high: significant(high) };
}
