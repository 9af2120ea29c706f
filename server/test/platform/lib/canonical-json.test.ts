import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/platform/lib/canonical-json.js';

/** Keys that JavaScript treats in a special way, besides any others. */
const anyKey = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toJSON',
    '',
    '0',
    '9',
    '10',
    '-1',
    '01',
    'é',
    '😀',
    '\uffff',
    '"',
  ),
);

type Json = null | boolean | number | string | Json[] | { members: [string, Json][] };

/** JSON as a tree whose members have an order, so that the order can be changed. */
const { anyJson } = fc.letrec<{ anyJson: Json }>((tie) => ({
  anyJson: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('anyJson')),
    fc
      .uniqueArray(fc.tuple(anyKey, tie('anyJson')), { selector: ([key]) => key, maxLength: 60 })
      .map((members) => ({ members })),
  ),
}));

function write(json: Json, order: (members: [string, Json][]) => [string, Json][]): string {
  if (json === null || typeof json !== 'object') return JSON.stringify(json);
  if (Array.isArray(json)) return `[ ${json.map((item) => write(item, order)).join(' , ')} ]`;
  const members = order([...json.members]).map(
    ([key, item]) => `${JSON.stringify(key)} : ${write(item, order)}`,
  );
  return `{ ${members.join(' , ')} }`;
}

/** Written without a thought of speed, as the specification of the other. */
function reference(json: Json): string {
  if (json === null || typeof json !== 'object') return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map(reference).join(',')}]`;
  const members = [...json.members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${reference(item)}`).join(',')}}`;
}

describe('canonicalJson', () => {
  test.each([
    ['null', 'null'],
    ['true', 'true'],
    ['-0', '0'],
    ['1.0', '1'],
    ['1e21', '1e+21'],
    ['1e-7', '1e-7'],
    ['""', '""'],
    ['"\\u0041\\/"', '"A/"'],
    ['"\\u2028 \\u007f \\ud83d\\ude00"', '"\u2028 \u007f 😀"'],
    ['"\\"\\\\\\b\\t\\n\\u001f"', '"\\"\\\\\\b\\t\\n\\u001f"'],
    ['[ ]', '[]'],
    ['[1, [2, 3]]', '[1,[2,3]]'],
    ['{ }', '{}'],
    ['{"b": {"d": 1, "c": 2}, "a": [{"z": 1, "y": 2}]}', '{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}'],
    // Objects list integer keys by number; code units put 10 before 9.
    ['{"9": 1, "10": 2, "a": 3, "": 4}', '{"":4,"10":2,"9":1,"a":3}'],
    // UTF-16 code units, not code points: the emoji begins with U+D83D.
    ['{"\uffff": 1, "😀": 2}', '{"😀":2,"\uffff":1}'],
    ['{"b": 1, "__proto__": {"y": 1, "x": 2}}', '{"__proto__":{"x":2,"y":1},"b":1}'],
    ['{"toJSON": 1}', '{"toJSON":1}'],
  ])('writes %s as %s', (text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  });

  test.each([
    [[Number.NaN]],
    [{ n: Number.POSITIVE_INFINITY }],
    [Number.NEGATIVE_INFINITY],
    ['\ud800'],
    ['\udc00 behind'],
    [['😀', 'before \ud83d']],
    [{ '\udead': 1 }],
  ])('refuses %j, which RFC 8785 has no text for', (value) => {
    expect(() => canonicalJson(value)).toThrow(RangeError);
  });

  test('sorts objects with many keys, too', () => {
    const keys = Array.from({ length: 500 }, (_, index) => `key${(index * 7919) % 500}`);
    const canonical = canonicalJson(Object.fromEntries(keys.map((key) => [key, 1])));
    expect(canonical).toBe(
      `{${[...keys]
        .sort()
        .map((key) => `"${key}":1`)
        .join(',')}}`,
    );
  });

  test('still quotes right when it has met more keys than it remembers', () => {
    for (let index = 0; index < 10_000; index++) canonicalJson({ [`unique${index}`]: 1 });
    const long = 'k'.repeat(1000);
    expect(canonicalJson({ '"b': 1, a: 2, [long]: 3 })).toBe(`{"\\"b":1,"a":2,"${long}":3}`);
    expect(canonicalJson({ '"b': 1, a: 2, [long]: 3 })).toBe(`{"\\"b":1,"a":2,"${long}":3}`);
  });

  test('writes what the reference writes', () => {
    fc.assert(
      fc.property(anyJson, (json) => {
        expect(canonicalJson(JSON.parse(write(json, (members) => members)))).toBe(reference(json));
      }),
    );
  });

  test('is read back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (generated) => {
        // A text has no negative zero and no shared references.
        const value: unknown = JSON.parse(JSON.stringify(generated));
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  test('does not depend on the order of members', () => {
    fc.assert(
      fc.property(anyJson, (json) => {
        const asSent = canonicalJson(JSON.parse(write(json, (members) => members)));
        const reversed = canonicalJson(JSON.parse(write(json, (members) => members.reverse())));
        const rotated = canonicalJson(
          JSON.parse(write(json, (members) => [...members.slice(1), ...members.slice(0, 1)])),
        );
        expect(reversed).toBe(asSent);
        expect(rotated).toBe(asSent);
      }),
    );
  });

  test('tells different values apart', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, other) => {
        fc.pre(reference(one) !== reference(other));
        const [a, b] = [one, other].map((json) =>
          canonicalJson(JSON.parse(write(json, (members) => members))),
        );
        expect(a).not.toBe(b);
      }),
    );
  });
});
