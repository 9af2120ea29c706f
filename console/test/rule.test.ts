import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Condition,
  isAttributePath,
  literalOf,
  OPERATORS,
  readRule,
  textOfLiteral,
  writeRule,
} from '../src/lib/rule.js';
import { completed, completionAt } from '../src/lib/rule-completion.js';

const literal = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.integer().map(String),
  fc.integer({ min: 0, max: 999 }).map((whole) => `${whole}.50`),
  fc.constantFrom('true', 'false'),
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    attribute: fc.constantFrom(
      'purchases.total',
      'spend["USD"].total',
      'country',
      'eventCounts["Level_Start"]',
    ),
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
      fc.property(fc.array(condition, { maxLength: 5 }), (conditions) => {
        expect(readRule(writeRule(conditions))).toEqual(conditions);
      }),
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
    'flags.isPayer || flags.isTester',
    '(flags.isPayer || flags.isTester) && purchases.total > 1',
    '!(flags.isPayer && flags.isTester)',
    '!"whales" in segments',
    'purchases.total > eventCount.total',
    'country in ["DE", "AT"]',
    'country == "\\x41"',
    'purchases.total >',
    'flags.isPayer &&',
  ])('leaves %s to the text', (text) => {
    expect(readRule(text)).toBeUndefined();
  });

  it('takes an && inside of a text for a part of the text', () => {
    expect(readRule('country == "a && b"')).toEqual([
      { kind: 'compare', attribute: 'country', operator: '==', literal: '"a && b"' },
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
});
