import { describe, expect, it } from 'vitest';
import {
  meanDifference,
  shareDifference,
  wilsonInterval,
} from '../../../../src/features/analytics/holdouts/confidence.js';

describe('Wilson’s interval', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i is the published one', (count, total, low, high) => {
    const interval = wilsonInterval(count, total);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it('ends at 1 where all did', () => {
    expect(wilsonInterval(20, 20).high).toBe(1);
    expect(wilsonInterval(20, 20).low).toBeCloseTo(1 - 0.1611, 4);
  });
});

describe('the difference of two shares', () => {
  // Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998),
  // table II, method 10.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])('of %i/%i and %i/%i is the published one', (count, total, otherCount, otherTotal, low, high) => {
    const interval = shareDifference({ count, total }, { count: otherCount, total: otherTotal });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});

describe('the difference of two means', () => {
  const momentsOf = (values: readonly number[]) => ({
    n: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0),
  });
  // The hours of sleep that two drugs added, of Student's paper of 1908: `t.test(extra ~ group, data = sleep)` in R.
  const first = momentsOf([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]);
  const second = momentsOf([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]);

  it('is the published one', () => {
    const interval = meanDifference(first, second);
    expect(interval.low).toBeCloseTo(-3.3654832, 6);
    expect(interval.high).toBeCloseTo(0.2054832, 6);
  });

  it('is a point where nobody differs', () => {
    const same = { n: 200, sum: 200 * 4.99, squares: 200 * 4.99 ** 2 };
    const interval = meanDifference(same, { n: 100, sum: 0, squares: 0 });
    expect(interval.low).toBeCloseTo(4.99, 6);
    expect(interval.high).toBeCloseTo(4.99, 6);
  });
});
