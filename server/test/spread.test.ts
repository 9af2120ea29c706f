import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from './support/property-runs.js';
import { isHeavy, spread } from './support/spread.js';

const isUpper = (letter: string) => letter === letter.toUpperCase();

describe('the order of the test files', () => {
  it('spreads the heavy ones over the first four fifths of the others', () => {
    expect(spread([...'abcdefghijABCD'], isUpper).join('')).toBe('AabBcdCefDghij');
    expect(spread([...'AaB'], isUpper).join('')).toBe('ABa');
    expect(spread([...'ab'], isUpper).join('')).toBe('ab');
  });

  it('loses none, and keeps the order of each kind', () => {
    const letters = fc.array(fc.constantFrom(...'abcdABCD'));
    fc.assert(
      fc.property(letters, (files) => {
        const order = spread(files, isUpper);
        expect(order.filter(isUpper)).toEqual(files.filter(isUpper));
        expect(order.filter((file) => !isUpper(file))).toEqual(files.filter((file) => !isUpper(file)));
      }),
      { numRuns: runs(50) },
    );
  });

  it.each([
    ['/repository/e2e/attacks.test.ts', true],
    ['/repository/clients/csharp/test/csharp.test.ts', true],
    ['/repository/server/test/platform/lib/day.test.ts', false],
    ['/repository/sdk/test/browser.test.ts', false],
  ])('takes %s for heavy: %s', (path, expected) => {
    expect(isHeavy(path)).toBe(expected);
  });
});
