import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/platform/lib/canonical-json.js';
import { isSameJson } from '../../../src/platform/lib/same-json.js';
import { runs } from '../../support/property-runs.js';

/** Few keys and values, so that two of them are often the same. */
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, '', '0', 'a'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '0'), tie('value'), { maxKeys: 3 }),
  ),
}));
const parsed = values.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('isSameJson', () => {
  it('says what a comparison of canonical texts says', () => {
    fc.assert(
      fc.property(parsed, parsed, (one, other) => {
        expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('does not mind the order of members, and minds that of items', () => {
    expect(isSameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
    expect(isSameJson({ a: 1, b: [1, 2] }, { a: 1, b: [2, 1] })).toBe(false);
    expect(isSameJson({ a: 1 }, { a: 1, b: null })).toBe(false);
    expect(isSameJson([], {})).toBe(false);
    expect(isSameJson(-0, 0)).toBe(true);
  });
});
