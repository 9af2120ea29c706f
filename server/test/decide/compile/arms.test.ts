import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { armRanges, armSalt, chooseArm, type Range, slotsOverlap } from '../../../src/decide/compile/arms.js';
import { bucketOf, userIdBytes } from '../../../src/decide/compile/bucket.js';
import { murmurHash3 } from '../../../src/platform/lib/murmur-hash-3.js';
import { NEEDS_PUBLISHED_DATA, PUBLISHED_DATA } from '../../support/published-data-folder.js';

const PLAYERS = 100_000;
const players = Array.from({ length: PLAYERS }, (_, n) => userIdBytes(`player-${n}`));
const bucketsOf = (id: string, seed: string) => {
  const salt = armSalt({ id, seed });
  return players.map((player) => bucketOf(salt, player));
};
const armsOf = (buckets: readonly number[], ranges: readonly Range[]) =>
  buckets.map((bucket) => chooseArm(bucket, ranges));
const count = (arms: readonly (number | undefined)[], arm: number) =>
  arms.filter((own) => own === arm).length;

/** Standard deviations between a count and what is expected of that many tries. */
function deviations(found: number, tries: number, probability: number): number {
  return Math.abs(found - tries * probability) / Math.sqrt(tries * probability * (1 - probability));
}

describe('arms', () => {
  it('are drawn by the documented text', () => {
    const hash = murmurHash3(Buffer.from('experiment:price_test:s1:player-7'));
    const player = userIdBytes('player-7');
    expect(bucketOf(armSalt({ id: 'price_test', seed: 's1' }), player)).toBe(hash / 2 ** 32);
  });

  it('keep their players while the coverage is raised from 5 to 100%', () => {
    const buckets = bucketsOf('ramp', 's1');
    const weights = [0.5, 0.3, 0.2];
    let before = armsOf(buckets, armRanges(weights, 0.05));
    for (const coverage of [0.2, 0.5, 1]) {
      const after = armsOf(buckets, armRanges(weights, coverage));
      const moved = before.filter((arm, n) => arm !== undefined && arm !== after[n]);
      expect(moved).toHaveLength(0);
      before = after;
    }
    expect(before).not.toContain(undefined);
  });

  it('have players by their weights and the coverage', () => {
    const arms = armsOf(bucketsOf('weights', 's1'), armRanges([3, 1], 0.4));
    expect(deviations(count(arms, 0), PLAYERS, 0.3)).toBeLessThan(4);
    expect(deviations(count(arms, 1), PLAYERS, 0.1)).toBeLessThan(4);
  });

  it('of one layer share no player', () => {
    const buckets = bucketsOf('layer', 's1');
    const slots = [
      { from: 0, to: 0.4 },
      { from: 0.4, to: 1 },
    ] as const;
    expect(slotsOverlap(...slots)).toBe(false);
    expect(slotsOverlap(slots[0], { from: 0.3, to: 0.5 })).toBe(true);
    const [one, other] = slots.map((slot) => armsOf(buckets, armRanges([1, 1], 1, slot)));
    const shared = one?.filter((arm, n) => arm !== undefined && other?.[n] !== undefined);
    expect(shared).toHaveLength(0);
    expect(deviations(count(one ?? [], 1), PLAYERS, 0.2)).toBeLessThan(4);
    expect(deviations(count(other ?? [], 0), PLAYERS, 0.3)).toBeLessThan(4);
  });

  it.each([
    ['of two layers', ['layer_a', 's1'], ['layer_b', 's1']],
    ['of two seeds', ['layer_a', 's1'], ['layer_a', 's2']],
  ] as const)('%s are independent', (_, one, other) => {
    const ranges = armRanges([1, 1], 1);
    const [arms, others] = [one, other].map(([id, seed]) => armsOf(bucketsOf(id, seed), ranges)) as [
      (number | undefined)[],
      (number | undefined)[],
    ];
    const both = arms.filter((arm, n) => arm === 0 && others[n] === 0).length;
    expect(deviations(both, PLAYERS, 0.25)).toBeLessThan(4);
  });
});

describe.skipIf(PUBLISHED_DATA === undefined)(`published ranges${NEEDS_PUBLISHED_DATA}`, () => {
  const figures = JSON.parse(
    PUBLISHED_DATA === undefined ? '{}' : readFileSync(join(PUBLISHED_DATA, 'statistics.json'), 'utf8'),
  ) as {
    bucket_ranges: { coverage: number; weights: number[]; ranges: [number, number][] }[];
    choose_arm: [bucket: number, ranges: [number, number][], arm: number][];
  };

  it('are those of GrowthBook', () => {
    expect(figures.bucket_ranges.length).toBeGreaterThan(0);
    for (const { weights, coverage, ranges } of figures.bucket_ranges) {
      armRanges(weights, coverage).forEach(({ from, to }, at) => {
        expect(from).toBeCloseTo(ranges[at]?.[0] ?? Number.NaN, 12);
        expect(to).toBeCloseTo(ranges[at]?.[1] ?? Number.NaN, 12);
      });
    }
  });

  it('are chosen from as there', () => {
    for (const [bucket, ranges, arm] of figures.choose_arm) {
      const own = ranges.map(([from, to]) => ({ from, to }));
      expect(chooseArm(bucket, own) ?? -1).toBe(arm);
    }
  });
});
