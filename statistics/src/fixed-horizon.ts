import type { Effect } from './effect.js';
import { around, type Interval } from './interval.js';
import { studentQuantile, studentTail } from './special/student.js';

/**
 * Welch's t: right if it is looked at once, when the planned players are there. Whoever looks daily and stops at the first difference is
 * wrong far more often than alpha says. So no verdict that is computed again comes from here; see confidence-sequence.ts.
 */
export function fixedInterval({ value, standardError, freedom }: Effect, alpha = 0.05): Interval {
  return around(value, standardError === 0 ? 0 : studentQuantile(alpha / 2, freedom) * standardError);
}

/** Two-sided: how often chance alone gives a difference of this size or more. */
export function fixedP({ value, standardError, freedom }: Effect): number {
  if (standardError === 0) return value === 0 ? 1 : 0;
  return 2 * studentTail(Math.abs(value) / standardError, freedom);
}

/** One-sided, of an effect that is not above zero. */
export function fixedPGreater({ value, standardError, freedom }: Effect): number {
  if (standardError === 0) return value > 0 ? 0 : 1;
  return studentTail(value / standardError, freedom);
}
