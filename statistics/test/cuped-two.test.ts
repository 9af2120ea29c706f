import { describe, expect, it } from 'vitest';
import { normalOf, randomOf } from '../../bench/experiments/simulated-arms.mjs';
import { cappedMoments, findCap } from '../src/cap.js';
import { cupedEstimate, cupedSlope } from '../src/cuped.js';
import { twoCupedEstimate, twoSlopes } from '../src/cuped-two.js';
import { absoluteEffect } from '../src/effect.js';
import {
  NO_TRIPLES,
  pairMomentsOf,
  plus,
  type TripleMoments,
  thirdPairs,
  tripleMomentsOf,
} from '../src/moments.js';
import { bucketOfValue, mergeHistograms, type ValueHistogram } from '../src/value-histogram.js';

type Triple = readonly [value: number, other: number, third: number];

/** Players of whom the other value explains `other` of the value, and the third, which goes with the other one, something more. */
function players(n: number, seed: number, { effect = 0, other = 0.5, third = 0.5 } = {}): Triple[] {
  const random = randomOf(seed);
  return Array.from({ length: n }, () => {
    const habit = normalOf(random);
    const expected = 0.6 * habit + 0.8 * normalOf(random);
    return [effect + other * habit + third * expected + normalOf(random), habit, expected] as const;
  });
}

const widthOf = (arms: readonly TripleMoments[]) => {
  const slopes = twoSlopes(arms);
  const [control, arm] = arms.map((moments) => twoCupedEstimate(moments, slopes));
  if (control === undefined || arm === undefined) throw new Error('two arms');
  return absoluteEffect(control, arm);
};

describe('two covariates', () => {
  it('leave √(1 − R²) of the error, which is less than either leaves alone', () => {
    const triples = players(20_000, 1);
    const arms = [tripleMomentsOf(triples.slice(0, 10_000)), tripleMomentsOf(triples.slice(10_000))];
    const [other, third] = twoSlopes(arms);
    expect(other).toBeCloseTo(0.5, 1);
    expect(third).toBeCloseTo(0.5, 1);
    const [first = NO_TRIPLES] = arms;
    const { squaredError, adjusted } = twoCupedEstimate(first, [other, third]);
    // Of the variance 0.25 + 0.25 + 2 · 0.25 · 0.6 + 1 the last part is left.
    expect(adjusted.squaredError / squaredError).toBeCloseTo(1 / 1.8, 1);
    for (const one of [arms, arms.map(thirdPairs)]) {
      const alone = cupedEstimate(one[0] ?? NO_TRIPLES, cupedSlope(one));
      expect(adjusted.squaredError).toBeLessThan(0.9 * alone.adjusted.squaredError);
    }
  });

  it('leave a truth where it is: the estimates scatter about it as much as their error says', () => {
    const RUNS = 400;
    let [sum, squares] = [0, 0];
    for (let seed = 1; seed <= RUNS; seed++) {
      const { value, standardError } = widthOf([
        tripleMomentsOf(players(50, seed)),
        tripleMomentsOf(players(70, 10_000 + seed, { effect: 0.4 })),
      ]);
      const z = (value - 0.4) / standardError;
      sum += z;
      squares += z * z;
    }
    expect(Math.abs(sum / RUNS)).toBeLessThan(0.15);
    // Two slopes that are taken from 120 players make it a little too narrow.
    expect(squares / RUNS).toBeLessThan(1.15);
    expect(squares / RUNS).toBeGreaterThan(0.85);
  });

  it('are one where the other is the same for all, up to rounding', () => {
    const triples = players(3_000, 2);
    for (const same of [0, 0.123456, 12_345.6]) {
      const withThird = tripleMomentsOf(triples.map(([value, , third]) => [value, same, third]));
      const withOther = tripleMomentsOf(triples.map(([value, other]) => [value, other, same]));
      expect(twoSlopes([withThird])).toEqual([0, cupedSlope([thirdPairs(withThird)])]);
      expect(twoSlopes([withOther])).toEqual([cupedSlope([withOther]), 0]);
      const neither = tripleMomentsOf(triples.map(([value]) => [value, same, same]));
      expect(twoSlopes([neither])).toEqual([0, 0]);
    }
  });

  it('that say the same count once', () => {
    const triples = players(3_000, 3).map(([value, other]) => [value, other, 5 - 2 * other] as const);
    const moments = tripleMomentsOf(triples);
    expect(twoSlopes([moments])).toEqual([cupedSlope([moments]), 0]);
  });

  it('correct for an arm that drew better players', () => {
    const triples = players(4_000, 4);
    const good = triples.filter(([, , third], n) => third > 0 || n % 3 === 0);
    const others = triples.filter(([, , third], n) => !(third > 0 || n % 3 === 0));
    const arms = [tripleMomentsOf(others), tripleMomentsOf(good)];
    const { value, standardError } = widthOf(arms);
    const raw =
      good.reduce((sum, [one]) => sum + one, 0) / good.length -
      others.reduce((sum, [one]) => sum + one, 0) / others.length;
    expect(raw).toBeGreaterThan(0.3);
    expect(Math.abs(value)).toBeLessThan(3 * standardError);
  });

  it('are kept of a player whose value is capped', () => {
    const triples: Triple[] = [
      ...Array.from({ length: 200 }, (_, n) => [1 + n / 10, n, n % 7] as const),
      [1e6, 3, 50],
    ];
    const histogram = triples.reduce<ValueHistogram<TripleMoments>>(
      (sum, triple) => mergeHistograms(sum, { [bucketOfValue(triple[0])]: tripleMomentsOf([triple]) }),
      {},
    );
    const cap = findCap([histogram]);
    const sums = cappedMoments(histogram, cap).reduce((sum, part) => plus(sum, part), NO_TRIPLES);
    const expected = tripleMomentsOf(
      triples.map(([value, ...known]) => [Math.min(value, cap?.value ?? 0), ...known]),
    );
    for (const name of Object.keys(NO_TRIPLES) as (keyof TripleMoments)[])
      expect(sums[name], name).toBeCloseTo(expected[name], 3);
  });
});

it('sums of triples can be added to those of pairs, which know no third value', () => {
  const triples = players(10, 5);
  const pairs = pairMomentsOf(triples.map(([value, other]) => [value, other] as const));
  expect(plus(pairMomentsOf([]), tripleMomentsOf(triples))).toEqual(pairs);
});
