import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet } from '../../../src/platform/lib/id-set.js';
import { runs } from '../../support/property-runs.js';

/** On both sides of where words and blocks of bits end, and far apart. */
const ids = fc.oneof(
  fc.integer({ min: 1, max: 200 }),
  fc.integer({ min: 32_700, max: 32_900 }),
  fc.maxSafeNat(),
);

it('gives each id once, in order, behind any id, in chunks of any size', () => {
  fc.assert(
    fc.property(fc.array(ids), ids, fc.integer({ min: 1, max: 9 }), (added, behind, size) => {
      const set = new IdSet();
      for (const id of added) set.add(id);
      const expected = [...new Set(added)].filter((id) => id > behind).sort((a, b) => a - b);
      const chunks = [...set.chunksBehind(behind, size)];
      expect(chunks.flat()).toEqual(expected);
      expect(chunks.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true);
      expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= size)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});
