import { describe, expect, it } from 'vitest';
import { generateServerKey, readServerKey, writeServerKey } from '../../../src/platform/lib/server-key.js';

describe('a server key', () => {
  it('is read as it was written', () => {
    const key = generateServerKey();
    const text = writeServerKey(key);
    expect(text).toMatch(/^sps_[0-9a-f]{24}_[0-9A-Za-z]{49}$/);
    expect(readServerKey(text)).toEqual(key);
  });

  it('has a checksum, so that no changed text is one', () => {
    const text = writeServerKey({ keyId: 'sps_0123456789abcdef01234567', secret: 'a'.repeat(43) });
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'b' ? 'c' : 'b';
      expect(
        readServerKey(text.slice(0, at) + other + text.slice(at + 1)),
        `changed at ${at}`,
      ).toBeUndefined();
    }
    for (const bad of ['', 'sps_', text.slice(1), `${text}0`, text.toUpperCase()]) {
      expect(readServerKey(bad)).toBeUndefined();
    }
  });
});
