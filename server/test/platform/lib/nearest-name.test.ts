import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSuggest, editDistance, nearestName } from '../../../src/platform/lib/nearest-name.js';

const NAMES = ['tenant', 'game', 'key', 'retention', 'rollups'];

it.each([
  ['tennant', 'tenant'],
  ['gaem', 'game'],
  ['GAME', 'game'],
  ['retenton', 'retention'],
  ['roll-ups', 'rollups'],
  ['player', undefined],
  ['', undefined],
  ['k', undefined],
  ['x'.repeat(100), undefined],
])('the nearest to %j is %j', (name, nearest) => {
  expect(nearestName(name, NAMES)).toBe(nearest);
});

it('counts letters that are changed, added, taken away or swapped', () => {
  expect(editDistance('port', 'port', 9)).toBe(0);
  expect(editDistance('prot', 'port', 9)).toBe(1);
  expect(editDistance('sport', 'port', 9)).toBe(1);
  expect(editDistance('part', 'port', 9)).toBe(1);
  expect(editDistance('', 'port', 9)).toBe(4);
  expect(editDistance('kitten', 'sitting', 9)).toBe(3);
});

it('stops at the limit, and is right below it', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(words, words, fc.nat({ max: 9 }), (a, b, limit) => {
      const distance = editDistance(a, b, Number.MAX_SAFE_INTEGER);
      expect(editDistance(b, a, Number.MAX_SAFE_INTEGER)).toBe(distance);
      if (distance < limit) expect(editDistance(a, b, limit)).toBe(distance);
      else expect(editDistance(a, b, limit)).toBeGreaterThanOrEqual(limit);
    }),
    { numRuns: 1000 },
  );
});

it('makes twenty suggestions, and then no more', () => {
  const suggest = createSuggest();
  const said = Array.from({ length: 25 }, () => suggest('tennant', NAMES));
  expect(said.filter((text) => text === ' Did you mean "tenant"?')).toHaveLength(20);
  expect(said.slice(20)).toEqual(['', '', '', '', '']);
});
