import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  generateMasterKey,
  type MasterKeys,
  parseMasterKeys,
  primaryId,
  seal,
  sealedUnder,
  UnsealError,
  type UnsealReason,
  unseal,
} from '../../../src/platform/security/master-keys.js';

const HEADER_BYTES = 5;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keysOf(text: string): MasterKeys {
  const result = parseMasterKeys(text);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.keys;
}

function problemsOf(text: string): string[] {
  const result = parseMasterKeys(text);
  return result.ok ? [] : result.problems;
}

function reasonOf(attempt: () => unknown): UnsealReason | 'unsealed' {
  try {
    attempt();
    return 'unsealed';
  } catch (error) {
    if (error instanceof UnsealError) return error.reason;
    throw error;
  }
}

/** High bytes only, so that no generated key counts as typed text. */
const randomKey = fc
  .uniqueArray(fc.integer({ min: 0x80, max: 0xff }), { minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes));

describe('parseMasterKeys', () => {
  test('accepts standard and URL base64, padded or not, with white space around', () => {
    fc.assert(
      fc.property(randomKey, (key) => {
        const forms = [
          key.toString('base64'),
          key.toString('base64').replace('=', ''),
          key.toString('base64url'),
          `${key.toString('base64url')}=`,
          ` ${key.toString('base64')}\n`,
        ];
        expect(new Set(forms.map((form) => primaryId(keysOf(form)))).size).toBe(1);
      }),
    );
  });

  test('derives the key id from a labelled hash of the key', () => {
    const text = generateMasterKey();
    const hash = createHash('sha256').update('savepoint-master-key').update(Buffer.from(text, 'base64'));
    expect(primaryId(keysOf(text))).toBe(hash.digest('hex').slice(0, 8));
  });

  test('the first key is the one that seals', () => {
    const [a, b] = [generateMasterKey(), generateMasterKey()];
    expect(primaryId(keysOf(`${a},${b}`))).toBe(primaryId(keysOf(a)));
    expect(primaryId(keysOf(`${b}, ${a}`))).toBe(primaryId(keysOf(b)));
  });

  const good = Buffer.from(Array.from({ length: 32 }, (_, i) => 0x80 + i));
  test.each([
    ['nothing', '', /^SAVEPOINT_MASTER_KEY is empty/],
    ['white space', '  \n', /is empty/],
    ['16 bytes', good.subarray(0, 16).toString('base64'), /has 16 bytes, but 32 are needed/],
    ['33 bytes', Buffer.concat([good, good.subarray(0, 1)]).toString('base64'), /has 33 bytes/],
    ['hexadecimal', good.toString('hex'), /looks like hexadecimal/],
    ['other characters', `${good.toString('base64').slice(0, 40)}!!!=`, /is not base64/],
    ['white space inside', good.toString('base64').replace(/^(.{9}).(.*)$/, '$1 $2'), /is not base64/],
    ['both alphabets at once', `+_${'A'.repeat(41)}=`, /is not base64/],
    ['too much padding', `${good.toString('base64')}=`, /is not well-formed base64/],
    ['stray bits in the last character', good.toString('base64').replace(/.=$/, '9='), /is not well-formed/],
    ['zeroes', Buffer.alloc(32).toString('base64'), /repeats too few bytes/],
    ['15 distinct bytes', Buffer.from(good.map((b) => b % 15)).toString('base64'), /repeats too few bytes/],
    ['a typed pass phrase', Buffer.from('Correct-Horse_Battery.Staple:123').toString('base64'), /typed/],
    ['an echoed pass phrase', Buffer.from('Correct-Horse_Battery.Staple:12\n').toString('base64'), /typed/],
  ])('refuses %s', (_, text, sentence) => {
    const [problem, ...more] = problemsOf(text);
    expect(problem).toMatch(sentence);
    expect(problem).toContain('openssl rand -base64 32');
    expect(more).toEqual([]);
  });

  test('16 distinct bytes are enough', () => {
    expect(problemsOf(Buffer.from(good.map((b) => 0x80 + (b % 16))).toString('base64'))).toEqual([]);
  });

  test('reports every bad key, by its place', () => {
    const key = generateMasterKey();
    expect(problemsOf(`short,${key},,${key}`)).toEqual([
      expect.stringMatching(/^Key 1 of SAVEPOINT_MASTER_KEY has 3 bytes/),
      expect.stringMatching(/^Key 3 of SAVEPOINT_MASTER_KEY is empty/),
      expect.stringMatching(/^Key 4 of SAVEPOINT_MASTER_KEY is the same as key 2/),
    ]);
  });

  test('problems never contain key material', () => {
    const nearlyAKey = fc.oneof(
      fc.base64String({ minLength: 12 }),
      fc.string({ minLength: 12, maxLength: 80 }),
      randomKey.map((key) => `${key.toString('base64')}==`),
    );
    fc.assert(
      fc.property(nearlyAKey, (text) => {
        const said = problemsOf(text).join('\n');
        for (let i = 0; i + 8 <= text.length; i++) {
          const piece = text.slice(i, i + 8);
          if (piece.trim().length === 8) expect(said).not.toContain(piece);
        }
      }),
    );
  });

  test('a generated key is accepted', () => {
    for (let i = 0; i < 100; i++) expect(problemsOf(generateMasterKey())).toEqual([]);
  });

  test('the parsed keys reveal no byte when logged', () => {
    const text = `${generateMasterKey()},${generateMasterKey()}`;
    const keys = keysOf(text);
    const shown = [
      JSON.stringify(keys),
      JSON.stringify([...keys.byId]),
      JSON.stringify(parseMasterKeys(text)),
      String(keys),
      inspect(keys, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    ].join('\n');
    expect(shown).toContain(primaryId(keys));
    for (const item of text.split(',')) {
      const bytes = Buffer.from(item, 'base64');
      const listed = [...bytes.subarray(0, 6)];
      for (const form of [item.slice(0, 8), bytes.toString('base64url').slice(0, 8)]) {
        expect(shown).not.toContain(form);
      }
      expect(shown).not.toContain(bytes.toString('hex').slice(0, 12));
      expect(shown).not.toContain(
        bytes
          .toString('hex')
          .slice(0, 12)
          .replace(/..(?!$)/g, '$& '),
      );
      expect(shown.replaceAll(/\s/g, '')).not.toContain(listed.join(','));
    }
  });
});

describe('seal and unseal', () => {
  const keys = keysOf(generateMasterKey());
  const sealedHello = seal(keys, 'hello', 'api-key:1');

  test('what was sealed comes back, bytes or text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (plaintext, boundTo) => {
        expect(unseal(keys, seal(keys, plaintext, boundTo), boundTo).equals(plaintext)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\0', 'é', '€', '😀') }), (text) => {
        expect(unseal(keys, seal(keys, text, 'x'), 'x').toString('utf8')).toBe(text);
      }),
    );
  });

  test('has the documented layout', () => {
    expect(sealedHello.length).toBe(HEADER_BYTES + NONCE_BYTES + TAG_BYTES + 5);
    expect(sealedHello[0]).toBe(1);
    expect(sealedHello.toString('hex', 1, 5)).toBe(primaryId(keys));
    expect(sealedUnder(sealedHello)).toBe(primaryId(keys));
  });

  test('never uses a nonce twice', () => {
    const nonces = Array.from({ length: 1000 }, () => seal(keys, 'same', 'same').toString('hex', 5, 17));
    expect(new Set(nonces).size).toBe(1000);
  });

  test('a blob is refused anywhere but where it belongs', () => {
    expect(reasonOf(() => unseal(keys, sealedHello, 'api-key:2'))).toBe('tampered');
    fc.assert(
      fc.property(fc.string(), fc.string(), (here, there) => {
        fc.pre(here !== there);
        expect(reasonOf(() => unseal(keys, seal(keys, 'secret', here), there))).toBe('tampered');
      }),
    );
  });

  test('any changed bit is noticed', () => {
    fc.assert(
      fc.property(fc.nat({ max: sealedHello.length * 8 - 1 }), (bit) => {
        const changed = Buffer.from(sealedHello);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const expected = bit < 8 ? 'malformed' : bit < HEADER_BYTES * 8 ? 'unknown_key' : 'tampered';
        expect(reasonOf(() => unseal(keys, changed, 'api-key:1'))).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('any shortened or lengthened blob is refused', () => {
    for (let length = 0; length < sealedHello.length; length++) {
      expect(reasonOf(() => unseal(keys, sealedHello.subarray(0, length), 'api-key:1'))).not.toBe('unsealed');
    }
    const longer = Buffer.concat([sealedHello, Buffer.of(0)]);
    expect(reasonOf(() => unseal(keys, longer, 'api-key:1'))).toBe('tampered');
    expect(reasonOf(() => sealedUnder(Buffer.of(1, 2, 3)))).toBe('malformed');
  });

  test.each([4, 8, 12, 15])('a tag cut to %i bytes is refused', (tagBytes) => {
    const tagAt = HEADER_BYTES + NONCE_BYTES;
    for (const [text, reason] of [
      ['', 'malformed'],
      ['long enough that the blob is not too short', 'tampered'],
    ] as const) {
      const whole = seal(keys, text, 'x');
      const cut = Buffer.concat([whole.subarray(0, tagAt + tagBytes), whole.subarray(tagAt + TAG_BYTES)]);
      expect(reasonOf(() => unseal(keys, cut, 'x'))).toBe(reason);
    }
  });

  test('reads a view into a larger buffer', () => {
    const large = new Uint8Array(200);
    large.set(sealedHello, 50);
    const view = large.subarray(50, 50 + sealedHello.length);
    expect(unseal(keys, view, 'api-key:1').toString()).toBe('hello');
  });

  test('a newer format is refused as such', () => {
    const newer = Buffer.from(sealedHello);
    newer[0] = 2;
    expect(() => unseal(keys, newer, 'api-key:1')).toThrow(/version 2, this release knows 1/);
  });
});

describe('rotating the master key', () => {
  const [older, newer] = [generateMasterKey(), generateMasterKey()];

  test('old blobs unseal while their key is listed, new ones go under the first key', () => {
    const sealed = seal(keysOf(older), 'hello', 'x');
    const both = keysOf(`${newer},${older}`);
    expect(unseal(both, sealed, 'x').toString()).toBe('hello');
    expect(sealedUnder(sealed)).not.toBe(primaryId(both));
    const again = seal(both, unseal(both, sealed, 'x'), 'x');
    expect(sealedUnder(again)).toBe(primaryId(keysOf(newer)));
    expect(unseal(keysOf(newer), again, 'x').toString()).toBe('hello');
  });

  test('a missing key is named, with what to do about it', () => {
    const sealed = seal(keysOf(older), 'hello', 'x');
    expect(reasonOf(() => unseal(keysOf(newer), sealed, 'x'))).toBe('unknown_key');
    expect(() => unseal(keysOf(newer), sealed, 'x')).toThrow(
      new RegExp(`master key ${primaryId(keysOf(older))}.*Add that old key.*SAVEPOINT_MASTER_KEY`),
    );
  });

  test('a blob relabelled with another listed key id is refused', () => {
    const both = keysOf(`${newer},${older}`);
    const sealed = seal(keysOf(older), 'hello', 'x');
    Buffer.from(primaryId(both), 'hex').copy(sealed, 1);
    expect(reasonOf(() => unseal(both, sealed, 'x'))).toBe('tampered');
  });
});
