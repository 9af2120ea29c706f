import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bucketOf,
  experimentSalt,
  HOLDOUT_SALT,
  isInShare,
  offerHoldoutSalt,
  offerSalt,
  userIdBytes,
} from '../../../src/decide/compile/bucket.js';
import { murmurHash3 } from '../../../src/platform/lib/murmur-hash-3.js';

const PLAYERS = 100_000;
/**
 * Ids of version 7 that were made within a few seconds, as after a campaign: their first third is nearly the same. The
 * rest looks random, but is the same in every run, so that statistics decide once and for all.
 */
const players = Array.from({ length: PLAYERS }, (_, n) => {
  const time = (0x0198c1f27d7a + Math.floor(n / 20)).toString(16).padStart(12, '0');
  const random = createHash('sha256').update(`player ${n}`).digest('hex');
  const parts = [time.slice(0, 8), time.slice(8), `7${random.slice(0, 3)}`, `8${random.slice(3, 6)}`];
  return userIdBytes(`${parts.join('-')}-${random.slice(6, 18)}`);
});

const buckets = (experiment: string) => {
  const salt = experimentSalt(experiment);
  return players.map((player) => bucketOf(salt, player));
};

/** Standard deviations between a count and what is expected of that many tries. */
function deviations(count: number, tries: number, probability: number): number {
  return Math.abs(count - tries * probability) / Math.sqrt(tries * probability * (1 - probability));
}

describe('the bucket of a player in an experiment', () => {
  it('never changes: these values are for ever', () => {
    const player = userIdBytes('0198c1f2-7d7a-7b0e-8000-000000000000');
    const salts = [
      ...[offerSalt('winter_sale'), offerSalt('summer_sale'), HOLDOUT_SALT],
      offerHoldoutSalt('winter_sale'),
    ];
    expect(salts.map((salt) => bucketOf(salt, player) * 2 ** 32)).toEqual(PINNED);
  });

  it('is what the documentation tells clients to expect', () => {
    const vectors = [...DOCUMENTATION.matchAll(VECTOR)];
    expect(vectors.length).toBeGreaterThanOrEqual(8);
    for (const [, input = '', hash, bucket] of vectors) {
      expect(`${murmurHash3(Buffer.from(input))}`).toBe(hash);
      const at = input.lastIndexOf(':');
      const of = bucketOf(experimentSalt(input.slice(0, at)), userIdBytes(input.slice(at + 1)));
      expect((of * 100).toFixed(6)).toBe(bucket);
    }
  });

  it('is right for a name of any length and any characters', () => {
    for (const [experiment, userId] of [
      ['offer:é', '雪'],
      ['offer:long', 'p'.repeat(1000)],
      ['offer:short', 'p'],
    ] as const) {
      const hash = murmurHash3(Buffer.from(`${experiment}:${userId}`));
      expect(bucketOf(experimentSalt(experiment), userIdBytes(userId))).toBe(hash / 2 ** 32);
    }
  });

  it('gives 30% of 100,000 players a 30% offer, within statistical error', () => {
    const chosen = buckets('offer:thirty').filter((bucket) => isInShare(bucket, 30)).length;
    expect(deviations(chosen, PLAYERS, 0.3)).toBeLessThan(4);
  });

  it('is unrelated to the bucket in another offer, also of a similar name', () => {
    for (const [one, other] of [
      ['offer:thirty', 'offer:third'],
      ['offer:o1', 'offer:o2'],
      ['offer:1', 'holdout'],
      ['offer:1', 'offer-holdout:1'],
    ] as const) {
      const others = buckets(other);
      const both = buckets(one).filter(
        (bucket, n) => isInShare(bucket, 30) && isInShare(others[n] ?? 1, 30),
      ).length;
      expect(deviations(both, PLAYERS, 0.09)).toBeLessThan(4);
    }
  });

  it('is spread evenly: a thousand equal slices hold equally many', () => {
    for (const experiment of ['offer:a', 'offer:b', 'holdout']) {
      const slices = new Array<number>(1000).fill(0);
      for (const bucket of buckets(experiment))
        slices[Math.floor(bucket * 1000)] = (slices[Math.floor(bucket * 1000)] ?? 0) + 1;
      const expected = PLAYERS / slices.length;
      const chiSquare = slices.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // 999 degrees of freedom: mean 999, standard deviation 45.
      expect(Math.abs(chiSquare - 999)).toBeLessThan(5 * 45);
    }
  });

  it('turns with any change of the id: each bit of the hash flips half of the time', () => {
    const salt = experimentSalt('offer:a');
    const hashOf = (n: number) => bucketOf(salt, userIdBytes(`player-${n}`)) * 2 ** 32;
    const flips = new Array<number>(32).fill(0);
    const tries = 4000;
    for (let n = 0; n < tries; n++) {
      const difference = hashOf(n) ^ hashOf(n + 1);
      for (let bit = 0; bit < 32; bit++) if ((difference >>> bit) & 1) flips[bit] = (flips[bit] ?? 0) + 1;
    }
    for (const count of flips) expect(deviations(count, tries, 0.5)).toBeLessThan(5);
  });

  it('is inside of [0, 1), so that 0% is no player and 100% is every player', () => {
    const all = buckets('offer:everybody');
    expect(all.every((bucket) => bucket >= 0 && bucket < 1)).toBe(true);
    expect(all.some((bucket) => isInShare(bucket, 0))).toBe(false);
    expect(all.every((bucket) => isInShare(bucket, 100))).toBe(true);
    expect(isInShare((2 ** 32 - 1) / 2 ** 32, 100)).toBe(true);
  });
});

const PINNED = [2_255_329_483, 2_513_922_276, 4_103_873_187, 2_455_915_041];

const DOCUMENTATION = readFileSync(new URL('../../../../docs/personalisation.md', import.meta.url), 'utf8');
/** A row of the table: the input, its hash in decimal, the bucket in percent. */
const VECTOR = /^\| `([^`]+:[^`:]+)` \| (\d+) \| (\d+\.\d{6}) \|$/gm;
