import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayRanges, daysText } from '../../../src/decide/attributes/player-history.js';

it('reads sets of days as PostgreSQL writes them', () => {
  const day = (text: string) => Date.parse(text) / 86_400_000;
  expect(dayRanges('{}')).toEqual([]);
  expect(dayRanges('{[2024-02-28,2024-03-01)}')).toEqual([[day('2024-02-28'), day('2024-03-01')]]);
  expect(dayRanges('{[1970-01-01,1970-01-02),[2026-12-31,2027-01-01)}')).toEqual([
    [0, 1],
    [day('2026-12-31'), day('2027-01-01')],
  ]);
  expect(() => dayRanges('{[2026-11-01,)}')).toThrow('{[2026-11-01,)} is no set of days');
});

it('reads every day of a thousand years as the calendar has it', () => {
  const days = fc.integer({ min: Date.UTC(1600, 0, 1) / 86_400_000, max: Date.UTC(2600, 0, 1) / 86_400_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(days, days), { maxLength: 5 }), (ranges) => {
      expect(dayRanges(daysText(ranges))).toEqual(ranges);
    }),
    { numRuns: 500 },
  );
});
