import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeOf, readCode } from '../../../src/trust/erasures/erasure-code.js';

const SHAPE = /^[BCDFGHJKLMNPQRSTVWXZ]{4}(-[BCDFGHJKLMNPQRSTVWXZ]{4}){2}$/;

describe('the code of a player', () => {
  it('has twelve letters in three groups, and is the same for the same hash', () => {
    for (let n = 0; n < 100; n++) {
      const seed = randomBytes(32);
      expect(codeOf(seed)).toMatch(SHAPE);
      expect(codeOf(seed)).toBe(codeOf(seed));
    }
    expect(codeOf(Buffer.alloc(32))).toBe('BBBB-BBBB-BBBB');
    expect(codeOf(Buffer.alloc(32, 255))).not.toBe(codeOf(Buffer.alloc(32, 254)));
  });

  it.each([
    'BCDF-GHJK-LMNP',
    'bcdfghjklmnp',
    ' bcdf ghjk lmnp ',
    'BCDF–GHJK–LMNP',
    'b c d f-g h j k-l m n p',
  ])('is read as people type it: %s', (text) => expect(readCode(text)).toBe('BCDF-GHJK-LMNP'));

  it.each(['', 'BCDF', 'BCDF-GHJK-LMNPQ', 'ACDF-GHJK-LMNP', 'BCDF-GHJK-LMN1', '\u0000', 'ß'.repeat(12)])(
    'is nothing else: %j',
    (text) => expect(readCode(text)).toBeUndefined(),
  );
});
