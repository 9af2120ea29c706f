import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TEXT_FORMS } from '../../../src/platform/lib/text-forms.js';

const pattern = new RegExp(TEXT_FORMS.name.pattern, 'u');

it.each([
  ['Ada', true],
  [' Ada Lovelace ', true],
  ['  ', false],
  ['', false],
  ['A\u0001', false],
])('whether %j is a name: %s', (text, isName) => {
  expect(pattern.test(text)).toBe(isName);
});

it('asks for a character that is not blank, and for no control character', () => {
  const character = fc.constantFrom('a', ' ', '\t', '\u00a0', '\u0001', '\u200b', 'ß', '🙂');
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      const isName = !characters.some((c) => /\p{C}/u.test(c)) && characters.some((c) => /\S/u.test(c));
      expect(pattern.test(characters.join(''))).toBe(isName);
    }),
  );
});

it('takes one step a character: a million of them are refused while the test waits', () => {
  expect(pattern.test(`${'a'.repeat(1_000_000)}\u0001`)).toBe(false);
});
