import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutRepeats } from '../../src/lib/without-repeats.js';

const ownKey = (item: string) => item;

test('the first of each key come first, then the second ones', () => {
  expect(withoutRepeats(['a', 'b', 'a', 'c', 'a'], ownKey)).toEqual([['a', 'b', 'c'], ['a'], ['a']]);
  expect(withoutRepeats([], ownKey)).toEqual([]);
});

test('whatever the list, nothing is lost, no part has a key twice, and each part keeps the order', () => {
  const items = fc.array(fc.record({ key: fc.constantFrom('a', 'b', '__proto__'), n: fc.nat() }));
  fc.assert(
    fc.property(items, (list) => {
      const parts = withoutRepeats(list, ({ key }) => key);
      for (const part of parts) {
        expect(new Set(part.map(({ key }) => key)).size).toBe(part.length);
        expect(part).toEqual(list.filter((item) => part.includes(item)));
      }
      for (const key of new Set(list.map((item) => item.key))) {
        const ofKey = (item: { key: string }) => item.key === key;
        expect(parts.flatMap((part) => part.filter(ofKey))).toEqual(list.filter(ofKey));
      }
    }),
  );
});
