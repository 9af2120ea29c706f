import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '../src/api/client.js';
import { isComparable, ruleChoices, typeOf, usagesOf } from '../src/lib/attribute-usages.js';
import { keysOf, knownCurrencies, knownOf, unseenValues } from '../src/lib/known-values.js';
import {
  type Condition,
  isAttributePath,
  literalOf,
  OPERATORS,
  readRule,
  textOfLiteral,
  valueProblem,
  withAttribute,
  writeRule,
} from '../src/lib/rule.js';
import { completed, completionAt } from '../src/lib/rule-completion.js';

const literal = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.integer().map(String),
  fc.integer({ min: 0, max: 999 }).map((whole) => `${whole}.50`),
  fc.constantFrom('true', 'false'),
);
const attribute = fc.constantFrom(
  'purchases.total',
  'spend["USD"].total',
  'country',
  'eventCounts["Level_Start"]',
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    kind: fc.constant('oneOf' as const),
    attribute,
    isIn: fc.boolean(),
    literals: fc.array(literal, { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('compare' as const),
    attribute,
    operator: fc.constantFrom(...OPERATORS),
    literal,
  }),
  fc.record({ kind: fc.constant('segment' as const), segmentId: fc.string(), isIn: fc.boolean() }),
  fc.record({
    kind: fc.constant('flag' as const),
    flagId: fc.stringMatching(/^[a-z][A-Za-z0-9]{0,10}$/),
    isSet: fc.boolean(),
  }),
);

const CHOICES = new Map([
  ['purchases.total', 'Purchases that were not refunded. total: of all time'],
  ['purchases.last28d', 'Purchases that were not refunded. last28d: in 28 days'],
  ['spend["USD"].total', 'Money spent. total: of all time'],
  ['spend["USD"].last28d', 'Money spent. last28d: in 28 days'],
  ['daysSinceLastPurchase', 'Days since the last purchase'],
  ['"payer" in segments', 'Players in segment Payers'],
]);

describe('the completion of a rule', () => {
  const textsAt = (marked: string) => {
    const caret = marked.indexOf('|');
    return completionAt(marked.replace('|', ''), caret, CHOICES)?.options.map(({ text }) => text);
  };

  it('offers names that begin with the word, then those that contain it, then by their description', () => {
    expect(textsAt('purch|')).toEqual(['purchases.total', 'purchases.last28d', 'daysSinceLastPurchase']);
    expect(textsAt('country == "DE" && Purchases.la|')).toEqual(['purchases.last28d']);
    expect(textsAt('money| > 3')).toEqual(['spend["USD"].total', 'spend["USD"].last28d']);
    expect(textsAt('pay|')).toEqual(['"payer" in segments']);
  });

  it('keeps the key that was typed', () => {
    expect(textsAt('spend["EUR"].l|')).toEqual(['spend["EUR"].last28d']);
    expect(textsAt('spend["$&"].l|')).toEqual(['spend["$&"].last28d']);
  });

  it.each(['|', 'purch |', '"purch|', '"a" == \'purch|', 'nothing|', '12|', 'purchases.total|', '|purch'])(
    'offers nothing at %s',
    (marked) => expect(textsAt(marked)).toBeUndefined(),
  );

  it('replaces the whole word, and nothing else', () => {
    const rule = 'purchases.tl > 1 && x';
    const completion = completionAt(rule, 'purchases.t'.length, CHOICES);
    const [option] = completion?.options ?? [];
    expect(completion && option && completed(rule, completion, option)).toEqual({
      rule: 'purchases.total > 1 && x',
      caret: 'purchases.total'.length,
    });
  });

  it('reads any text without failing, and keeps what is around the word', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (rule, place) => {
        const caret = place % (rule.length + 1);
        const completion = completionAt(rule, caret, CHOICES);
        if (completion === undefined) return;
        expect(completion.from).toBeLessThan(caret);
        expect(completion.to).toBeGreaterThanOrEqual(caret);
      }),
    );
  });
});

describe('the rule builder', () => {
  it('reads back whatever it wrote', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
        (clauses) => {
          expect(readRule(writeRule(clauses))).toEqual(clauses);
        },
      ),
    );
  });

  it('leaves the text of a rule that it can show as it is, but for spaces', () => {
    const text =
      'flags.isPayer && "whales" in segments && spend["USD"].total >= 50.0 && !(  "new" in segments )';
    expect(writeRule(readRule(text) ?? [])).toBe(
      'flags.isPayer && "whales" in segments && spend["USD"].total >= 50.0 && !("new" in segments)',
    );
  });

  it.each(['purchases.total', 'spend["USD"].last28d', 'country', 'mon'])('keeps %s in the rule', (path) => {
    expect(isAttributePath(path)).toBe(true);
  });

  it.each(['', 'money spent', 'spend[', 'spend["USD', ' country', 'country ', 'a > 1 && b'])(
    'keeps “%s” out of the rule while it is typed',
    (text) => {
      expect(isAttributePath(text)).toBe(false);
    },
  );

  it.each([
    'flags.isPayer || flags.isTester && purchases.total > 1',
    '(flags.isPayer && flags.isTester) || purchases.total > 1',
    '((flags.isPayer || flags.isTester))',
    '(flags.isPayer) == (flags.isTester)',
    '(flags.isPayer || flags.isTester) == (flags.isA || flags.isB)',
    '!(flags.isPayer || flags.isTester)',
    '!country in ["DE"]',
    '!(flags.isPayer && flags.isTester)',
    '!"whales" in segments',
    'purchases.total > eventCount.total',
    'country in ["DE", "\\x41"]',
    'country in ["DE" "AT"]',
    'country == "\\x41"',
    'purchases.total >',
    'flags.isPayer &&',
  ])('leaves %s to the text', (text) => {
    expect(readRule(text)).toBeUndefined();
  });

  it('takes an && inside of a text for a part of the text', () => {
    expect(readRule('country == "a && b"')).toEqual([
      [{ kind: 'compare', attribute: 'country', operator: '==', literal: '"a && b"' }],
    ]);
  });

  it.each([
    'country in ["DE", "FR"]',
    '!(country in ["DE", "FR"])',
    'country == "DE" || country == "FR"',
    'flags.isPayer && daysSinceLastPurchase >= 14 && (country == "DE" || country == "FR")',
    '(flags.isPayer || "whales" in segments) && !(os in [])',
  ])('shows %s, and leaves it as it is', (text) => {
    expect(writeRule(readRule(text) ?? [])).toBe(text);
  });

  it('reads the payers of two countries as three clauses', () => {
    expect(readRule('flags.isPayer && (country == "DE" || country == "FR") && os in ["iOS"]')).toEqual([
      [{ kind: 'flag', flagId: 'isPayer', isSet: true }],
      [
        { kind: 'compare', attribute: 'country', operator: '==', literal: '"DE"' },
        { kind: 'compare', attribute: 'country', operator: '==', literal: '"FR"' },
      ],
      [{ kind: 'oneOf', attribute: 'os', isIn: true, literals: ['"iOS"'] }],
    ]);
  });

  it('shows no conditions for an empty rule', () => {
    expect(readRule('  ')).toEqual([]);
  });

  it('quotes texts, not numbers', () => {
    expect([literalOf('50', false), literalOf('50', true), literalOf('DE', false)]).toEqual([
      '50',
      '"50"',
      '"DE"',
    ]);
    expect([textOfLiteral('"DE"'), textOfLiteral('50.0')]).toEqual(['DE', '50']);
  });

  it('keeps a value that is no number out of a rule about a number', () => {
    expect(valueProblem('14 days', 'int')).toBe('Write a number, without a unit.');
    expect([valueProblem('14', 'int'), valueProblem(' 0.5', 'double')]).toEqual([undefined, undefined]);
    expect([valueProblem('14 days', 'string'), valueProblem('14 days', undefined)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('replaces a value that the next attribute cannot have', () => {
    const count = { kind: 'compare', attribute: 'purchases.total', operator: '>', literal: '3' } as const;
    const country = { kind: 'compare', attribute: 'country', operator: '==', literal: '"DE"' } as const;
    expect(withAttribute(count, 'sessions.total', 'int')).toEqual({ ...count, attribute: 'sessions.total' });
    expect(withAttribute(count, 'country', 'string')).toEqual({ ...country, literal: '""' });
    expect(withAttribute(country, 'sessions.total', 'int')).toMatchObject({ literal: '0' });
    expect(withAttribute(country, 'unheard', undefined)).toEqual({ ...country, attribute: 'unheard' });
    const list = { kind: 'oneOf', attribute: 'country', isIn: true, literals: ['"DE"'] } as const;
    expect(withAttribute(list, 'os', 'string')).toEqual({ ...list, attribute: 'os' });
    expect(withAttribute(list, 'sessions.total', 'int')).toMatchObject({ literals: [] });
  });
});

describe('what can be asked in a rule', () => {
  const field = (name: string, type: string) => ({ name, type, meaning: `the ${name}` });
  const attributes = [
    { name: 'country', usage: 'country', type: 'string', meaning: 'Country.', key: null, fields: [] },
    {
      ...{ name: 'spend', usage: 'spend["USD"].total', type: 'map', meaning: 'Money.', key: 'currency' },
      fields: [field('total', 'double'), field('last7d', 'double')],
    },
    {
      ...{ name: 'predictions', usage: 'predictions.churn.value', type: 'p', meaning: 'Future.', key: null },
      fields: [field('churn.value', 'double'), field('churn.band', 'string'), field('spend.value', 'double')],
    },
    { name: 'flags', usage: 'flags.isPayer', type: 'map', meaning: 'Flags.', key: 'flagId', fields: [] },
    { name: 'segments', usage: '"a" in segments', type: 'map', meaning: 'In.', key: 'segmentId', fields: [] },
  ];
  const known = {
    country: knownOf([value('DE'), value('FR'), { ...value(null), kind: 'unknown' }]),
    eventType: { values: ['Boss_Defeated'], isComplete: true },
    currency: { values: ['EUR', 'JPY'], isComplete: true },
  };
  const keys = keysOf(known);

  it('names each prediction once', () => {
    const usages = [...usagesOf(attributes).keys()].filter((usage) => usage.startsWith('predictions'));
    expect(usages).toEqual(['predictions.churn.value', 'predictions.churn.band', 'predictions.spend.value']);
  });

  it('has the keys of the game in place of the example', () => {
    expect([...usagesOf(attributes, keys).keys()].filter((usage) => usage.startsWith('spend'))).toEqual([
      'spend["EUR"].total',
      'spend["EUR"].last7d',
      'spend["JPY"].total',
      'spend["JPY"].last7d',
    ]);
    const choices = ruleChoices(
      attributes,
      { flags: { isPayer: { payerForDays: 1 }, custom: [] }, segments: [] },
      keys,
    );
    const textsAt = (rule: string) =>
      completionAt(rule, rule.length, choices)?.options.map(({ text }) => text);
    expect(textsAt('jpy')).toEqual(['spend["JPY"].total', 'spend["JPY"].last7d']);
    expect(textsAt('spend["USD"].l')).toEqual(['spend["USD"].last7d']);
  });

  it('has the currencies that players have paid in, whatever the catalogue has', () => {
    const currency = knownCurrencies(['EUR', 'USD'], ['USD', 'GBP']);
    expect(keysOf({ currency }).currency).toEqual(['EUR', 'USD', 'GBP']);
    expect(unseenValues('spend["EUR"].total > 1.0', { currency })).toEqual([]);
    expect(unseenValues('spend["PLN"].total > 1.0', { currency })).toHaveLength(1);
    // Until it is known what players have paid in, nothing is said against a currency.
    const early = knownCurrencies(undefined, ['USD']);
    expect(unseenValues('spend["EUR"].total > 1.0', { currency: early })).toEqual([]);
  });

  it('has a type whatever the key, and flags and segments are not compared', () => {
    expect(typeOf(attributes, 'spend["GBP"].last7d')).toBe('double');
    expect([typeOf(attributes, 'country'), typeOf(attributes, 'countri')]).toEqual(['string', undefined]);
    expect([...usagesOf(attributes).keys()].filter((usage) => !isComparable(usage))).toEqual([
      'flags.isPayer',
      '"a" in segments',
    ]);
  });

  it('is hinted at where no player has had the value', () => {
    expect(unseenValues('country == "Frankreich"', known)).toEqual([
      'No active player of the last 30 days has country “Frankreich”. There are DE, FR.',
    ]);
    expect(
      unseenValues('flags.isPayer && (country in ["DE", "Rome"] || country != "Rome")', known),
    ).toHaveLength(1);
    expect(unseenValues('events["Bos"].total > 1 && spend["USD"].total > 1', known)).toEqual([
      'No event of type “Bos” came lately. There are Boss_Defeated.',
      'Nobody has paid in “USD”, and no SKU has a price in it. There are EUR, JPY.',
    ]);
  });

  it.each([
    'country == "DE"',
    'country == ""',
    'os == "iOS"',
    'spend["EUR"].total > 3',
    'purchases.total > 5',
    'a ? b : c',
  ])('has no hint for %s', (rule) => expect(unseenValues(rule, known)).toEqual([]));

  it('has no hint where values are left out, or nothing is summed yet', () => {
    const cut = { country: knownOf([value('DE'), { ...value(null), kind: 'other' }]) };
    expect(unseenValues('country == "IS"', cut)).toEqual([]);
    expect(unseenValues('country == "IS"', { country: knownOf(undefined) })).toEqual([]);
    expect(unseenValues('country == "IS"', { country: knownOf([]) })).toEqual([]);
  });
});

function value(text: string | null): Schemas['BreakdownValue'] {
  return {
    ...{ kind: 'value', value: text, activePlayerDays: 1, newPlayers: 0, payingPlayerDays: 0 },
    ...{ dailyConversion: 0, reported: null },
    ...{ purchases: 0, revenue: {}, revenuePerActivePlayer: {}, revenuePerPayingPlayer: {}, retention: null },
  };
}
