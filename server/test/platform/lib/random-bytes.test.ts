import { describe, expect, test } from 'vitest';
import { takeRandomBytes } from '../../../src/platform/lib/random-bytes.js';

describe('random bytes', () => {
  test('are as many as asked for, also more than the pool holds', () => {
    for (const count of [0, 1, 16, 32, 4_096, 4_097, 10_000])
      expect(takeRandomBytes(count)).toHaveLength(count);
  });

  test('never come twice, and what was taken stays as it is', () => {
    const taken = Array.from({ length: 2_000 }, () => takeRandomBytes(32));
    const texts = taken.map((bytes) => bytes.toString('hex'));
    expect(new Set(texts).size).toBe(2_000);
    for (let n = 0; n < 500; n++) takeRandomBytes(32);
    expect(taken.map((bytes) => bytes.toString('hex'))).toEqual(texts);
  });

  test('do not share memory', () => {
    const [first, second] = [takeRandomBytes(16), takeRandomBytes(16)];
    const before = second.toString('hex');
    first.fill(0);
    expect(second.toString('hex')).toBe(before);
  });
});
