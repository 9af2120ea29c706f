import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketOfDevice,
  bucketOfUser,
  PLAYER_BUCKETS,
  uuid7InBucket,
} from '../../../src/platform/lib/player-buckets.js';
import { UUID } from '../../../src/platform/lib/uuid.js';

describe('the bucket of a player', () => {
  it('never changes: ids are drawn by it, and lie where it says', () => {
    expect(bucketOfUser('01980000-0000-7000-8000-00000000abcd')).toBe(4);
    expect(bucketOfUser('')).toBe(5);
    expect(bucketOfDevice(1, 'device-1')).toBe(30);
    expect(bucketOfDevice(1, 'Gerät 📱')).toBe(58);
  });

  it('of a device differs between games', () => {
    const buckets = new Set(Array.from({ length: 100 }, (_, n) => bucketOfDevice(n, 'device-1')));
    expect(buckets.size).toBeGreaterThan(10);
  });

  it('is one of 64, and devices fill them about equally', () => {
    const counts = new Array<number>(PLAYER_BUCKETS).fill(0);
    for (let n = 0; n < 64_000; n++) {
      const bucket = bucketOfDevice(7, `device-${n}`);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    expect(counts).toHaveLength(64);
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});

describe('a user id that is drawn for a bucket', () => {
  it('is a version 7 UUID of that millisecond, in that bucket', () => {
    const nowMs = fc.integer({ min: 0, max: 2 ** 47 });
    const bucket = fc.integer({ min: 0, max: PLAYER_BUCKETS - 1 });
    fc.assert(
      fc.property(nowMs, bucket, (now, wanted) => {
        const userId = uuid7InBucket(now, wanted);
        expect(userId).toMatch(UUID);
        expect(userId.charAt(14)).toBe('7');
        expect(Number.parseInt(userId.replace('-', '').slice(0, 12), 16)).toBe(now);
        expect(bucketOfUser(userId)).toBe(wanted);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is not drawn twice', () => {
    const drawn = new Set(Array.from({ length: 10_000 }, () => uuid7InBucket(1_794_700_000_000, 3)));
    expect(drawn.size).toBe(10_000);
  });
});
