import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  escapeFormula,
  escapeFormulas,
  escapeFormulasInJson,
  unescapeFormula,
} from '../../../src/platform/lib/spreadsheet-formulas.js';

const nasty = fc
  .array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', ';', '"', '\uff1d', 'a', '1', ' '), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

it.each([
  ['=1', "'=1"],
  ["'=1", "''=1"],
  ['-5', "'-5"],
  ["it's", "it's"],
  ["'tis", "'tis"],
  [' =1', ' =1'],
  ['a=1', 'a=1'],
  ['', ''],
])('%j is written as %j', (text, written) => {
  expect(escapeFormula(text)).toBe(written);
  expect(unescapeFormula(written)).toBe(text);
});

it('no text begins like a formula once it is escaped, and all come back', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(escapeFormula(text)).not.toMatch(/^[=+\-@\t\r\n\uff1d]/);
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
    }),
  );
});

it("a player's text does not begin like a formula behind any separator either", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const cells = escapeFormulas(text).split(/[;\t\r\n]/);
      expect(cells.filter((cell) => /^[=+\-@\uff1d]/.test(cell))).toEqual([]);
      // Only apostrophes are added.
      expect(escapeFormulas(text).replaceAll("'", '')).toBe(text.replaceAll("'", ''));
    }),
  );
  expect(escapeFormulas('Level_Complete; 5 - 3')).toBe('Level_Complete; 5 - 3');
});

it('JSON stays the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(nasty, fc.oneof(nasty, fc.integer())), (value) => {
      const json = escapeFormulasInJson(JSON.stringify(value));
      expect(JSON.parse(json)).toEqual(value);
      expect(json).not.toMatch(/;[=+\-@\uff1d]/);
    }),
  );
  expect(escapeFormulasInJson('{"a":"x; y","b":-5}')).toBe('{"a":"x; y","b":-5}');
});
