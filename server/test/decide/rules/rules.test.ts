import { describe, expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY, ATTRIBUTES } from '../../../src/decide/attributes/attributes.js';
import { PlayerAttributes } from '../../../src/decide/attributes/player-attributes.js';
import { epochDay } from '../../../src/decide/attributes/player-facts.js';
import { RULE_LIMITS } from '../../../src/decide/rules/rule-environment.js';
import type { RuleScope } from '../../../src/decide/rules/rule-paths.js';
import { type CompiledRule, compileRule } from '../../../src/decide/rules/rules.js';
import { DAY_MS, day, facts, NOW, payer, TODAY } from '../support/fixtures.js';

const SCOPE: RuleScope = {
  attributes: ATTRIBUTE_REGISTRY,
  segments: new Set(['payer', 'vip']),
  flags: new Set(['isPayer', 'beta']),
  experiments: new Map([['price_test', ['a', 'b']]]),
};

function rule(expression: string): CompiledRule {
  const result = compileRule(expression, SCOPE);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join(' '));
  return result.rule;
}

/** The problems of a rule that is refused, as `line:column sentence`. */
function refusal(expression: string): string[] {
  const result = compileRule(expression, SCOPE);
  return result.ok ? [] : result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

function test(expression: string, player = facts()): boolean {
  const attributes = new PlayerAttributes(player, NOW);
  attributes.segments.add('vip');
  attributes.flags.set('isPayer', player.purchaseCount > 0).set('beta', false);
  return rule(expression).test(attributes);
}

describe('a rule is refused when it is saved, with the position', () => {
  it.each([
    ['contry == "DE"', '1:1 There is no attribute "contry". Did you mean "country"?'],
    ['true &&\n  contry == "DE"', '2:3 There is no attribute "contry". Did you mean "country"?'],
    ['purchases.last7 > 1', '1:11 "purchases" has no "last7", but total, last7d, last28d.'],
    ['playMinutes.total > 1', '1:13 "playMinutes" has no "total", but last7d, last28d.'],
    ['events["Win"] > 1', '1:1 "events" is no value by itself: write events["Level_Complete"].last7d.'],
    ['purchases > 1', '1:1 "purchases" is no value by itself: write purchases.last7d.'],
    ['country.code == "DE"', '1:9 "country" has no members: write country.'],
    [
      'events[country].total > 1',
      '1:8 "events" is looked up by a text in quotes: write events["Level_Complete"].last7d.',
    ],
    ['spend["USQ"].total > 1', '1:7 "USQ" is not a currency of ISO 4217, such as USD.'],
    ['flags.isPayr', '1:7 There is no flag "isPayr". Did you mean "isPayer"?'],
    ['segment("pay")', '1:9 There is no segment "pay".'],
    ['"payr" in segments', '1:1 There is no segment "payr". Did you mean "payer"?'],
    ['segment(country)', '1:9 A segment is named by a text in quotes.'],
    ['purchases.total', '1:1 The rule gives a value of type int: it must be true or false.'],
    ['country == 1', '1:1 The types do not fit: string == int.'],
    ['purchases.total && true', "1:1 Logical operator requires bool operands, got 'int'."],
    ['country.startsWith(1)', '1:1 The types do not fit: string.startsWith(int).'],
    ['(country == "DE"', '1:17 The rule ends too early.'],
    ['', '1:1 The rule ends too early.'],
    ['country = "DE"', '1:9 Write == in place of =.'],
    ['timestamp("2026-01-01T00:00:00Z") == now', '1:1 There is no function "timestamp".'],
  ])('%j', (expression, problem) => {
    expect(refusal(expression)[0]).toBe(problem);
  });

  it('with everything that is wrong, not only the first', () => {
    expect(refusal('contry == "DE" && segment("x") || flags.y')).toHaveLength(3);
  });
});

describe('a rule is bounded: what could grow or loop is refused', () => {
  it.each([
    ['a regular expression', 'locale.matches("^(a+)+$")', 'Regular expressions can take for ever'],
    ['a loop in a loop', '[1, 2].exists(x, [1, 2].exists(y, x == y))', 'inside of another loop'],
    ['a loop over a loop', '[1].map(x, x + 1).exists(y, y > 1)', 'Write .exists as in'],
    ['a bound value', 'cel.bind(x, "a", x == "a")', 'There is no method "bind"'],
    ['joined texts', '["a"].exists(x, x + country == "a")', 'Texts cannot be joined'],
    ['joined lists', '1 in [1] + [2]', 'Behind "in" stands a list'],
    ['a list of lists', '[[1]].exists(x, true)', 'A list can only hold texts and numbers'],
    ['a map', '{"a": 1}["a"] == 1', 'Only attributes have members'],
    ['a long text', `country == "${'a'.repeat(129)}"`, '128 characters'],
    ['a long rule', `country == "${' '.repeat(2000)}"`, '2000 characters'],
    ['a deep rule', `${'('.repeat(30)}true${')'.repeat(30)}`, 'nested 24 levels'],
    ['many parts', Array.from({ length: 250 }, () => 'true').join('&&'), '400 parts'],
    ['a long list', `1 in [${Array.from({ length: 257 }, () => 1).join(',')}]`, '256 elements'],
    ['much arithmetic', Array.from({ length: 60 }, () => '1/0>1').join('||'), 'costs too much'],
    ['arithmetic in a loop', `[${'1,'.repeat(60)}1].all(x, x/0 > 1)`, 'costs too much'],
    ['a large number', 'purchases.total > 9007199254740992', 'The number is too large'],
    ['null', 'country == null', 'A rule knows texts, numbers, true and false'],
    ['a variable that hides an attribute', '["a"].exists(country, country == "a")', 'is an attribute'],
  ])('%s', (_what, expression, problem) => {
    expect(refusal(expression).join()).toContain(problem);
  });

  it('but all countries of the world fit into a list', () => {
    const countries = Array.from(
      { length: 249 },
      (_, n) => `"${String.fromCharCode(65 + (n % 26))}${n % 9}"`,
    );
    expect(refusal(`country in [${countries.join(',')}]`)).toEqual([]);
    expect(RULE_LIMITS.listElements).toBeGreaterThan(countries.length);
  });
});

describe('what rules can say', () => {
  const player = payer({
    createdAt: NOW - 5 * DAY_MS,
    eventCount: 9,
    eventCounts: { Win: 9, Session_Start: 4, constructor: 2 },
    profile: { country: { v: 'DE', t: 1 }, locale: { v: 'de-AT', t: 1 }, osName: { v: 'iOS', t: 1 } },
    days: [
      day(TODAY, {
        events: 2,
        eventCounts: { Win: 2 },
        revenue: { USD: 0.1 },
        purchases: 1,
        playMs: 119_999,
      }),
      day(TODAY - 6, { events: 1, eventCounts: { Win: 1 }, revenue: { USD: 0.2 } }),
      day(TODAY - 7, { events: 1, eventCounts: { Win: 4 } }),
      day(TODAY - 28, { events: 1, eventCounts: { Win: 100 } }),
      day(TODAY + 1, { events: 1, eventCounts: { Win: 1000 } }),
    ],
  });

  it.each([
    ['daysSinceFirstSeen == 5 && daysSinceLastEvent == 5 && daysSinceLastPurchase == 0', true],
    ['purchases.total == 1 && purchases.last7d == 1', true],
    ['events["Win"].total == 9 && events["Win"].last7d == 3 && events["Win"].last28d == 7', true],
    ['events.Win.last7d == 3 && purchases["total"] == 1', true],
    ['events["Lose"].total == 0 && events["toString"].total == 0 && events["constructor"].total == 2', true],
    ['sessions.total == 4 && eventCount.total == 9', true],
    ['playMinutes.last7d == 1 && activeDays.last7d == 2 && activeDays.last28d == 3', true],
    ['spend["USD"].total == 4.99 && spend["USD"].last7d == 0.3 && spend["EUR"].total == 0.0', true],
    ['spend["USD"].total / double(purchases.total) > 4.9', true],
    ['country in ["DE", "AT"] && os == "iOS" && osVersion == "" && deviceType == ""', true],
    ['["en", "de"].exists(l, locale.startsWith(l)) && locale.lowerAscii().endsWith("-at")', true],
    ['"ÀÉİß-Az".lowerAscii() == "ÀÉİß-az" && "àéıßﬁ-Az".upperAscii() == "àéıßﬁ-AZ"', true],
    ['"\u212a[@`{Zz".lowerAscii() == "\u212a[@`{zz" && "[@`{Zz".upperAscii() == "[@`{ZZ"', true],
    ['[1, 2, 3].all(n, n > 0) && [1, 2, 3].exists_one(n, n == 2) && -1 in [-1, 0]', true],
    ['segment("vip") && "vip" in segments && !segment("payer")', true],
    ['flags.isPayer && !flags["beta"]', true],
    ['7 / 2 == 3 && -7 / 2 == -3 && -7 % 2 == -1 && int(2.9) == 2', true],
    ['purchases.total > 1 ? country == "DE" : os == "iOS"', true],
    ['country == "AT" || locale.contains("US")', false],
  ])('%s', (expression, expected) => {
    expect(test(expression, player)).toBe(expected);
  });

  it('a player was first seen on the day of the first event, if that is before the day of the first login', () => {
    const since = (firstDay: number | null, days: number) =>
      test(`daysSinceFirstSeen == ${days}`, { ...player, history: { ...player.history, firstDay } });
    expect(since(TODAY - 20, 20)).toBe(true);
    // The login of the same day is as before: whole days since its time.
    expect(since(epochDay(player.createdAt), 5)).toBe(true);
    expect(since(TODAY, 5)).toBe(true);
    expect(since(null, 5)).toBe(true);
  });

  it('a purchase that never happened is longer ago than any', () => {
    expect(test('daysSinceLastPurchase >= 36500')).toBe(true);
  });

  it('an error fails the rule, unless the other side of && or || decides, on either side', () => {
    expect(() => test('1 / purchases.total > 0')).toThrow('division by zero');
    expect(() => test('9007199254740991 + 1 > 0')).toThrow('integer overflow');
    expect(() => test('1 / 0 > 0 || false')).toThrow('division by zero');
    expect(test('1 / 0 > 0 || true')).toBe(true);
    expect(test('true || 1 / 0 > 0')).toBe(true);
    expect(test('1 / 0 > 0 && false')).toBe(false);
    expect(test('[0, 1].exists(x, 1 / x > 0)')).toBe(true);
    expect(() => test('[0, 1].all(x, 1 / x > 0)')).toThrow('division by zero');
  });

  it('every attribute is documented as it is used: the usage itself is a rule', () => {
    for (const { name, usage, type, key, fields, description } of ATTRIBUTES) {
      const value = usage.split(', or ')[0] ?? '';
      const isRule = key === 'segmentId' || key === 'flagId';
      const literal =
        type === 'string' || key === 'experimentId' ? '""' : fields[0]?.type === 'double' ? '0.0' : '0';
      expect(refusal(isRule ? value : `${value} == ${literal}`), name).toEqual([]);
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('what a rule depends on', () => {
  it('names the attributes, segments and flags it reads', () => {
    const { reads, segments, flags } = rule('events["Win"].last7d > 1 && segment("vip") && !flags.isPayer');
    expect(reads).toEqual([
      { name: 'events', key: 'Win', field: 'last7d' },
      { name: 'segments', key: 'vip', field: null },
      { name: 'flags', key: 'isPayer', field: null },
    ]);
    expect({ segments, flags }).toEqual({ segments: ['vip'], flags: ['isPayer'] });
  });
});
