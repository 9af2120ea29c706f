import { describe, expect, test } from 'vitest';
import { murmurHash3 } from '../../../src/platform/lib/murmur-hash-3.js';

const utf8 = new TextEncoder();

describe('murmurHash3', () => {
  test.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['ffffffff', 0, 0x76293b50],
    ['21436587', 0, 0xf55b516b],
    ['21436587', 0x5082edee, 0x2362f9de],
    ['214365', 0, 0x7e4a8634],
    ['2143', 0, 0xa0f7b07a],
    ['21', 0, 0x72661cf4],
    ['00000000', 0, 0x2362f9de],
    ['000000', 0, 0x85f0b427],
    ['0000', 0, 0x30f4c306],
    ['00', 0, 0x514e28b7],
  ])('hashes the bytes %j with seed %i as published', (hex, seed, hash) => {
    expect(murmurHash3(Buffer.from(hex, 'hex'), seed)).toBe(hash);
  });

  test.each([
    ['hello', 0, 0x248bfa47],
    ['hello', 1, 0xbb4abcad],
    ['hello, world', 0, 0x149bbb7f],
    ['hello, world', 1, 0x6f5cb2e9],
    ['19 Jan 2038 at 3:14:07 AM', 0, 0xe31e8a70],
    ['19 Jan 2038 at 3:14:07 AM', 1, 0xf50e1f30],
    ['The quick brown fox jumps over the lazy dog.', 0, 0xd5c48bfc],
    ['The quick brown fox jumps over the lazy dog.', 1, 0x846f6a36],
  ])('hashes the text %j with seed %i as published', (text, seed, hash) => {
    expect(murmurHash3(utf8.encode(text), seed)).toBe(hash);
  });

  test('passes the verification of SMHasher, the test suite of its author', () => {
    const key = Uint8Array.from({ length: 256 }, (_, n) => n);
    const hashes = Buffer.alloc(4 * key.length);
    for (let length = 0; length < key.length; length++) {
      hashes.writeUInt32LE(murmurHash3(key, 256 - length, length), 4 * length);
    }
    expect(murmurHash3(hashes)).toBe(0xb0f57ee3);
  });
});
