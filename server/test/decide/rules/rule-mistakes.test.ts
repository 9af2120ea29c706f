import { expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY } from '../../../src/decide/attributes/attributes.js';
import { compileRule } from '../../../src/decide/rules/rules.js';

const SCOPE = {
  attributes: ATTRIBUTE_REGISTRY,
  segments: new Set(['whales']),
  flags: new Set(['isPayer']),
  experiments: new Map(),
};

function problemOf(rule: string): string {
  const result = compileRule(rule, SCOPE);
  return result.ok ? 'none' : result.problems.map(({ column, message }) => `${column}: ${message}`).join(' ');
}

it.each([
  ['country = "DE"', '9: Write == in place of =.'],
  ['country == "DE" || (os = "iOS")', '24: Write == in place of =.'],
  ['country === "DE"', '11: Write == in place of ===.'],
  ['country !== "DE"', '11: Write != in place of !==.'],
  ['country <> "DE"', '10: Write != in place of <>.'],
  ['purchases.total => 3', '17: Write >= in place of =>.'],
  ['purchases.total ≥ 3', '17: Write >= in place of ≥.'],
  ['flags.isPayer & segment("whales")', '15: Write && in place of &.'],
  ['flags.isPayer | segment("whales")', '15: Write || in place of |.'],
  ['country == "DE" and os == "iOS"', '17: Write && in place of and.'],
  ['country == "DE" AND os == "iOS"', '17: Write && in place of AND.'],
  ['flags.isPayer or segment("whales")', '15: Write || in place of or.'],
  ['not flags.isPayer', '5: Write ! in place of not.'],
  ['os == "iOS" && not flags.isPayer', '20: Write ! in place of not.'],
  ['NOT(flags.isPayer)', '1: Write ! in place of NOT.'],
  ['country is "DE"', '9: Write == in place of is.'],
  ['country == “DE”', '12: A text stands in straight quotes, as in "DE".'],
  ['country == DE', '12: There is no attribute "DE". A text stands in quotes: "DE".'],
  ['country == "DE', '12: A text does not end: its closing quote is missing.'],
  ['flags.isPayer == True', '18: There is no attribute "True". Did you mean "true"?'],
  ['spend["USD"].total > 1,5', '23: Write 1.5: decimals follow a point.'],
  ['country in ("DE", "AT")', '17: A list stands in square brackets, as in country in ["DE", "AT"].'],
  ['flags.isPayer;', '14: A rule is one expression: leave out the semicolon.'],
  ['country like "D%"', '9: "like" cannot stand here.'],
  ['flags.isPayer && && true', '18: "&&" cannot stand here.'],
  ['if (flags.isPayer)', '1: "if" cannot stand here.'],
  ['(flags.isPayer', '15: The rule ends too early.'],
])('%s', (rule, problem) => {
  expect(problemOf(rule)).toBe(problem);
});

it('words in texts are texts', () => {
  for (const rule of ['country == "a = b and c or not d"', 'os == "<>" || os == "not x"']) {
    expect(problemOf(rule)).toBe('none');
  }
});
