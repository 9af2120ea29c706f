import { DAY_MS } from '../../platform/lib/day.js';
import { COUNTS, SUMS, type SummedEntry, sumOfDays, UNITS_PER_NUMBER } from './day-sums.js';
import {
  type DistinctEntry,
  distinctOfDays,
  distinctTotal,
  type OwnEntry,
  type OwnValue,
  type TimedEntry,
} from './folds.js';
import type { OwnDefinition, OwnType } from './own-definition.js';

export const WINDOWS = { last7d: 7, last28d: 28 } as const;
export type OwnWindow = 'total' | keyof typeof WINDOWS;

/** What rules read of a player without such an event. */
export const NOTHING: Readonly<Record<OwnType, OwnValue>> = {
  boolean: false,
  integer: 0,
  number: 0,
  string: '',
};

/** The value of an attribute that is not known by days. */
export function plainValueOf({ type }: OwnDefinition, entry: OwnEntry | null): OwnValue {
  if (entry === null) return NOTHING[type];
  return typeof entry === 'number' ? entry : (entry as TimedEntry)[0];
}

/** Of all time, or of today and the days before it, in UTC. */
export function windowValueOf(
  { fold, type }: OwnDefinition,
  entry: OwnEntry | null,
  window: OwnWindow,
  nowMs: number,
): number {
  if (entry === null) return 0;
  const today = Math.floor(nowMs / DAY_MS);
  if (fold === 'distinct') {
    const values = entry as DistinctEntry;
    return window === 'total'
      ? distinctTotal(values)
      : distinctOfDays(values, today - WINDOWS[window] + 1, today);
  }
  const sums = entry as SummedEntry;
  const sum =
    window === 'total'
      ? sums[0]
      : sumOfDays(fold === 'count' ? COUNTS : SUMS, sums, today - WINDOWS[window] + 1, today);
  return fold === 'sum' && type === 'number' ? sum / UNITS_PER_NUMBER : sum;
}
