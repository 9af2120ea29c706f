import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../../src/platform/admin-api/page-cursor.js';

const text = fc.string({ maxLength: 30, unit: 'grapheme' }).filter((given) => !given.includes('\0'));
const member = fc.oneof(fc.maxSafeInteger(), text);
const key = fc.array(member, { minLength: 1, maxLength: 4 });

describe('a cursor', () => {
  it('comes back as the key that it was made of', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), key, (list, parts) => {
        expect(readCursor(list, writeCursor(list, parts), parts)).toEqual(parts);
      }),
    );
  });

  it('can stand in an address as it is', () => {
    fc.assert(
      fc.property(key, (parts) => {
        expect(writeCursor('list', parts)).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
    );
  });

  it('of another list, or of other types, is none', () => {
    const cursor = writeCursor('players', [5, 'a']);
    expect(readCursor('players', cursor, [0, ''])).toEqual([5, 'a']);
    expect(readCursor('sessions', cursor, [0, ''])).toBeUndefined();
    expect(readCursor('players', cursor, ['', ''])).toBeUndefined();
    expect(readCursor('players', cursor, [0, 0])).toBeUndefined();
    expect(readCursor('players', cursor, [0])).toBeUndefined();
    expect(readCursor('players', cursor, [0, '', 0])).toBeUndefined();
  });

  it('invented by a client is none, and never an error', () => {
    const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));
    const anything = fc.oneof(fc.string(), fc.base64String(), json, fc.anything());
    fc.assert(
      fc.property(anything, (given) => {
        expect(readCursor('players', given, [0, ''])).toBeUndefined();
      }),
    );
    const notExact = Buffer.from('["players",1e300,"a"]').toString('base64url');
    expect(readCursor('players', notExact, [0, ''])).toBeUndefined();
    expect(readCursor('players', writeCursor('players', [1, 'a\0']), [0, ''])).toBeUndefined();
    expect(readCursor('players', writeCursor('players', [1, 'a'.repeat(5_000)]), [0, ''])).toBeUndefined();
  });
});
