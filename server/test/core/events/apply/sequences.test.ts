import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSequences,
  formatRanges,
  gapsOf,
  parseRanges,
  rangesOf,
  type SequenceSet,
} from '../../../../src/core/events/apply/sequences.js';

const numbers = () =>
  fc.uniqueArray(fc.integer({ min: 1, max: 60 })).map((each) => each.sort((a, b) => a - b));
const members = (set: SequenceSet) =>
  set.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, n) => first + n));

describe('sets of numbers', () => {
  it('hold what is put into them, as ranges that do not touch', () => {
    fc.assert(
      fc.property(numbers(), numbers(), (before, added) => {
        const { seen, known, tooSparse } = addSequences(rangesOf(before), added, 1_000);
        expect(members(seen)).toEqual([...new Set([...before, ...added])].sort((a, b) => a - b));
        expect([...known].sort()).toEqual(added.filter((number) => before.includes(number)).sort());
        expect(tooSparse.size).toBe(0);
        for (const [n, range] of seen.entries()) {
          const next = seen[n + 1];
          if (next !== undefined) expect(next.first).toBeGreaterThan(range.last + 1);
        }
      }),
    );
  });

  it('never have more gaps than allowed, and take whatever opens none', () => {
    fc.assert(
      fc.property(
        fc.array(numbers(), { maxLength: 6 }),
        fc.integer({ min: 0, max: 4 }),
        (batches, maxGaps) => {
          let set: SequenceSet = [];
          for (const batch of batches) {
            const before = set;
            const { seen, tooSparse } = addSequences(before, batch, maxGaps);
            expect(gapsOf(seen).length).toBeLessThanOrEqual(maxGaps);
            const next = members(before).at(-1) ?? 0;
            expect(tooSparse.has(next + 1)).toBe(false);
            set = seen;
          }
        },
      ),
    );
  });

  it('know what is missing below the highest', () => {
    fc.assert(
      fc.property(numbers(), (held) => {
        const missing = Array.from({ length: held.at(-1) ?? 0 }, (_, n) => n + 1).filter(
          (n) => !held.includes(n),
        );
        expect(members(gapsOf(rangesOf(held)))).toEqual(missing);
      }),
    );
  });

  it('are written as PostgreSQL reads them, and read as it writes them', () => {
    expect(formatRanges(rangesOf([1, 2, 3, 7]))).toBe('{[1,3],[7,7]}');
    expect(formatRanges([])).toBe('{}');
    expect(parseRanges('{[1,4),[7,8)}')).toEqual(rangesOf([1, 2, 3, 7]));
    expect(parseRanges('{}')).toEqual([]);
    expect(parseRanges(`{[1,${Number.MAX_SAFE_INTEGER})}`).at(-1)?.last).toBe(Number.MAX_SAFE_INTEGER - 1);
  });
});
