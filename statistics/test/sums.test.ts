import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cappedMoments, findCap } from '../src/cap.js';
import { cupedEstimate, cupedSlope } from '../src/cuped.js';
import { absoluteEffect } from '../src/effect.js';
import { meanEstimate, unadjusted } from '../src/estimate.js';
import {
  type Moments,
  momentsOf,
  NO_MOMENTS,
  NO_PAIRS,
  pairMomentsOf,
  plus,
  varianceOf,
} from '../src/moments.js';
import { joinStrata, stratumShares } from '../src/strata.js';
import {
  bucketOfValue,
  bucketStart,
  histogramMoments,
  mergeHistograms,
  type ValueHistogram,
} from '../src/value-histogram.js';

const histogramOf = (values: readonly number[]): ValueHistogram =>
  values.reduce<ValueHistogram>(
    (sum, value) => mergeHistograms(sum, { [bucketOfValue(value)]: momentsOf([value]) }),
    {},
  );
const total = (parts: readonly Moments[]) => parts.reduce((sum, part) => plus(sum, part), NO_MOMENTS);

describe('sums', () => {
  it('are the same in any grouping', () => {
    const cents = fc.integer({ min: -10_000, max: 10_000 });
    fc.assert(
      fc.property(fc.array(cents), fc.array(cents), (one, other) => {
        expect(plus(momentsOf(one), momentsOf(other))).toEqual(momentsOf([...one, ...other]));
        const pairs = (values: readonly number[]) => values.map((value) => [value, value + 1] as const);
        expect(plus(pairMomentsOf(pairs(one)), pairMomentsOf(pairs(other)))).toEqual(
          pairMomentsOf(pairs([...one, ...other])),
        );
      }),
    );
    expect(plus(NO_PAIRS, NO_PAIRS)).toEqual(NO_PAIRS);
  });

  it('give the variance of the values', () => {
    expect(varianceOf(momentsOf([2, 4, 4, 4, 5, 5, 7, 9]))).toBeCloseTo(32 / 7, 12);
  });

  it('never give an error below zero, also where rounding does', () => {
    const same = momentsOf(Array.from({ length: 1_000 }, () => 0.1));
    expect(meanEstimate(same).squaredError).toBeGreaterThanOrEqual(0);
  });
});

describe('a histogram', () => {
  it('puts each value into the bucket that holds it, and forgets no value', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { maxLength: 50 }), (values) => {
        for (const value of values) {
          const bucket = bucketOfValue(value);
          expect(value).toBeGreaterThanOrEqual(bucketStart(bucket) * (1 - 1e-12));
          expect(value).toBeLessThanOrEqual(bucketStart(bucket + 1) * (1 + 1e-12));
        }
        const { n, sum } = histogramMoments(histogramOf(values));
        expect(n).toBe(values.length);
        expect(sum).toBeCloseTo(momentsOf(values).sum, 3);
      }),
    );
  });
});

describe('a cap', () => {
  const values = Array.from({ length: 200 }, (_, n) => 1 + n / 10);

  it('is one for all arms, at the percentile, and says how many values are above it', () => {
    const cap = findCap([histogramOf(values.slice(0, 100)), histogramOf(values.slice(100))], 0.9);
    if (cap === undefined) throw new Error('no cap');
    expect(cap.capped).toBe(values.filter((value) => value >= cap.value).length);
    expect(cap.capped).toBeLessThanOrEqual(20);
    // A bucket is 4.4% wide.
    expect(cap.value / (values[180] ?? 0)).toBeGreaterThan(0.999);
    expect(cap.value / (values[180] ?? 0)).toBeLessThan(1.05);
    const { n, sum, squares } = total(cappedMoments(histogramOf(values), cap));
    const expected = momentsOf(values.map((value) => Math.min(value, cap.value)));
    expect(n).toBe(expected.n);
    expect(sum).toBeCloseTo(expected.sum, 8);
    expect(squares).toBeCloseTo(expected.squares, 6);
  });

  it('makes one whale of few payers about as large as the next', () => {
    const payers = [...Array.from({ length: 30 }, () => 4.99), 9.99, 50_000];
    const cap = findCap([histogramOf(payers)]);
    expect(cap).toMatchObject({ capped: 1 });
    expect(cap?.value).toBeGreaterThanOrEqual(9.99);
    expect(cap?.value).toBeLessThan(9.99 * 1.05);
  });

  it('does not depend on how large the largest is', () => {
    const capped = [100, 1e6].map((whale) => {
      const histogram = histogramOf([...values, whale]);
      return total(cappedMoments(histogram, findCap([histogram])));
    });
    expect(capped[0]).toEqual(capped[1]);
  });

  it('is none where there are no values, or all are the same', () => {
    expect(findCap([{}, {}])).toBeUndefined();
    expect(findCap([histogramOf([5, 5, 5])])).toBeUndefined();
    expect(findCap([histogramOf([5])])).toBeUndefined();
    expect(total(cappedMoments(histogramOf([5, 5]), undefined))).toEqual(momentsOf([5, 5]));
  });

  it('keeps the covariate of a capped player', () => {
    const pairs = [...values, 1e6].map((value, n) => [value, n] as const);
    const histogram = pairs.reduce<ValueHistogram<typeof NO_PAIRS>>(
      (sum, pair) => mergeHistograms(sum, { [bucketOfValue(pair[0])]: pairMomentsOf([pair]) }),
      {},
    );
    const cap = findCap([histogram]);
    const sums = cappedMoments(histogram, cap).reduce((sum, part) => plus(sum, part), NO_PAIRS);
    const expected = pairMomentsOf(pairs.map(([value, n]) => [Math.min(value, cap?.value ?? 0), n]));
    expect(sums.products).toBeCloseTo(expected.products, 4);
    expect(sums.otherSquares).toBe(expected.otherSquares);
  });
});

describe('CUPED', () => {
  it('takes out what the covariate explains: √(1 − ρ²) of the error is left', () => {
    // Two values without any correlation, joined so that theirs is 0.6.
    const wave = (n: number, period: number) => Math.sin((2 * Math.PI * n) / period);
    const pairs = Array.from({ length: 4_000 }, (_, n) => {
      const before = wave(n, 10);
      return [0.6 * before + 0.8 * wave(n, 8), before] as const;
    });
    const arms = [pairMomentsOf(pairs.slice(0, 2_000)), pairMomentsOf(pairs.slice(2_000))] as const;
    const slope = cupedSlope(arms);
    expect(slope).toBeCloseTo(0.6, 6);
    const { squaredError, adjusted } = cupedEstimate(arms[0], slope);
    expect(Math.sqrt(adjusted.squaredError / squaredError)).toBeCloseTo(0.8, 6);
  });

  it('corrects for an arm that drew better players', () => {
    const players = (from: number) => Array.from({ length: 500 }, (_, n) => [from + n, from + n] as const);
    const arms = [pairMomentsOf(players(0)), pairMomentsOf(players(30))] as const;
    const slope = cupedSlope(arms);
    const [control, arm] = [cupedEstimate(arms[0], slope), cupedEstimate(arms[1], slope)];
    expect(arm.mean - control.mean).toBeCloseTo(30, 8);
    expect(absoluteEffect(control, arm).value).toBeCloseTo(0, 8);
  });

  it('changes nothing where all have the same covariate', () => {
    const arm = pairMomentsOf([1, 2, 3].map((value) => [value, 7] as const));
    expect(cupedSlope([arm, arm])).toBe(0);
    expect(cupedEstimate(arm, 0).adjusted.mean).toBe(2);
  });
});

describe('strata', () => {
  it('count by their share of all players, not by that of the arm', () => {
    const shares = stratumShares([
      [900, 100],
      [700, 300],
    ]);
    expect(shares).toEqual([0.8, 0.2]);
    const [old, fresh] = [unadjusted(900, 2, 4), unadjusted(100, 10, 9)];
    const joined = joinStrata([
      { estimate: old, share: 0.8 },
      { estimate: fresh, share: 0.2 },
    ]);
    expect(joined.players).toBe(1_000);
    expect(joined.adjusted.mean).toBeCloseTo(0.8 * 2 + 0.2 * 10, 12);
    expect(joined.squaredError).toBeCloseTo(0.64 * (4 / 900) + 0.04 * (9 / 100), 12);
  });
});
