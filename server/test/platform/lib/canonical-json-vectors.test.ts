import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/platform/lib/canonical-json.js';

/** The test vectors of RFC 8785 and of the test data that it refers to. */

/** Appendix B: the bits of a double, and how it is written. */
const NUMBERS = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
] as const;

function double(bits: string): number {
  return Buffer.from(bits, 'hex').readDoubleBE();
}

describe('the vectors of RFC 8785', () => {
  test.each(NUMBERS)('the double %s is written %s', (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
    expect(canonicalJson(JSON.parse(text))).toBe(text);
  });

  test.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    'the double %s is refused',
    (bits) => {
      expect(() => canonicalJson(double(bits))).toThrow(RangeError);
    },
  );

  test('the sample of section 3.2.2', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(sample))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('the order of keys of section 3.2.3', () => {
    const sample = String.raw`{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`;
    expect(canonicalJson(JSON.parse(sample))).toBe(
      `{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",` +
        `"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}`,
    );
  });

  test.each([
    ['arrays', '[ 56, { "d": true, "10": null, "1": [ ] } ]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      'structures',
      String.raw`{ "1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { }, "111": [ { } ], "A": { } }`,
      String.raw`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}`,
    ],
    [
      'locale is ignored',
      '{ "peach": 1, "péché": 2, "pêche": 3, "sin": 4 }',
      '{"peach":1,"péché":2,"pêche":3,"sin":4}',
    ],
    ['Unicode is not normalized', String.raw`{ "a": "\u1e0d\u0307" }`, '{"a":"\u1e0d\u0307"}'],
    [
      'weird characters',
      String.raw`{ "\u20ac": 1, "1": 2, "\u0080": "\u007f", "\ud83d\ude02": 4, "\u00f6": 5, "\ufb33": 6, "</script>": 7 }`,
      '{"1":2,"</script>":7,"\u0080":"\u007f","ö":5,"€":1,"😂":4,"\ufb33":6}',
    ],
  ])('the test data: %s', (_, text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  });
});
