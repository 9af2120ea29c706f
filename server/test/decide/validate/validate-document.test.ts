import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import { validateDocument } from '../../../src/decide/validate/validate-document.js';
import { pairedDocuments } from '../support/document-arbitrary.js';
import { configWith, offer, problemsOf, segment, sku } from '../support/fixtures.js';

describe('a document can be published', () => {
  it('when nothing is wrong with it', () => {
    const everything = configWith({
      flags: {
        isPayer: { payerForDays: 30 },
        custom: [{ flagId: 'beta', name: 'Beta', rule: 'segment("big")', defaultValue: false }],
      },
      segments: [segment('big', 'spend["USD"].total > 100'), segment('tester', 'flags.beta')],
      catalogue: [
        sku('gems', {
          prices: { USD: { actualPrice: '10', offerPrice: '9.50', floorPrice: '5' } },
          hidden: true,
        }),
      ],
      offers: [
        offer('sale', {
          when: '"tester" in segments',
          from: '2026-12-24T18:00:00Z',
          until: '2026-12-24T21:00:00+01:00',
          skus: ['gems'],
          effect: { visibility: 'show', price: { setTo: { USD: '5' } }, promoId: 'xmas' },
          limitPerPlayer: 1,
        }),
      ],
    });
    expect(validateDocument(everything)).toEqual({ ok: true, document: everything });
    expect(problemsOf(DEFAULT_DOCUMENT)).toEqual([]);
  });

  it('and can then be used in all its parts', () => {
    fc.assert(
      fc.property(pairedDocuments, ({ document }) => {
        const unusable: string[] = [];
        compileDocument(document, { version: 1, publishedAt: 0 }, (part) => unusable.push(part));
        if (validateDocument(document).ok) expect(unusable).toEqual([]);
        else expect(problemsOf(document)).not.toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a document is refused', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing', null, [' The value must be an object.']],
    [
      'missing and unknown members',
      { ...JSON.parse(JSON.stringify({ ...configWith(), offers: undefined })), offer: [] },
      ['/offers This member is missing.', '/offer There is no member "offer". Did you mean "offers"?'],
    ],
    ['a wrong type', configWith({ segments: 'none' as never }), ['/segments The value must be a list.']],
    [
      'a wrong type where there are two',
      configWith({ offers: [offer('a', { when: 1 as never })] }),
      ['/offers/0/when Write a text or null.'],
    ],
    [
      'the form that was meant, of several',
      configWith({ offers: [offer('a', { effect: { price: { discountPercent: '101' } } })] }),
      [
        '/offers/0/effect/price/discountPercent "101" is not a percentage: write it as in 33.33 (0 to 100, with two decimals at most).',
      ],
    ],
    [
      'half of a surrogate pair',
      configWith({ catalogue: [sku('a', { name: { default: 'half \ud83d', locales: {} } })] }),
      [
        '/catalogue/0/name/default A text holds a NUL character or half of a surrogate pair: it cannot be stored.',
      ],
    ],
    [
      'a NUL character',
      configWith({ segments: [segment('a', 'true', { name: 'A\0' })] }),
      ['/segments/0/name A text holds a NUL character or half of a surrogate pair: it cannot be stored.'],
    ],
    [
      'a share out of range',
      configWith({ offers: [offer('a', { sharePercent: 101 })] }),
      ['/offers/0/sharePercent The value must be at most 100.'],
    ],
    [
      'a bad locale',
      configWith({ catalogue: [sku('a', { name: { default: '', locales: { 'x/y': '' } } })] }),
      ['/catalogue/0/name/locales/x~1y "x/y" is not a locale, such as de or pt-BR.'],
    ],
    [
      'names that are taken',
      configWith({
        flags: {
          isPayer: { payerForDays: null },
          custom: [{ flagId: 'isPayer', name: 'Mine', rule: null, defaultValue: true }],
        },
        segments: [segment('a', 'true'), segment('a', 'true')],
        catalogue: [sku('a'), sku('a')],
        offers: [offer('a'), offer('a')],
      }),
      [
        '/flags/custom/0/flagId isPayer is built in.',
        '/segments/1/segmentId "a" is taken by /segments/0.',
        '/catalogue/1/skuId "a" is taken by /catalogue/0.',
        '/offers/1/offerId "a" is taken by /offers/0.',
      ],
    ],
    [
      'a circle',
      configWith({
        segments: [segment('a', 'segment("b")'), segment('b', '!segment("a")'), segment('c', 'true')],
      }),
      ['/segments/0/rule The rules refer to each other in a circle: segment:a → segment:b → segment:a.'],
    ],
    [
      'a circle of one',
      configWith({ segments: [segment('a', '!segment("a")')] }),
      ['/segments/0/rule The rules refer to each other in a circle: segment:a → segment:a.'],
    ],
    [
      'thresholds that nobody can cross, or that leave nothing between them',
      configWith({
        segments: [
          segment('a', 'true', { thresholds: { prediction: 'churn', enterAbove: 1, leaveBelow: 0.5 } }),
          segment('b', 'true', { thresholds: { prediction: 'revenue', enterAbove: 20, leaveBelow: 0 } }),
          segment('c', 'true', { thresholds: { prediction: 'spend', enterAbove: 0.5, leaveBelow: 0.5 } }),
          segment('d', 'true', { thresholds: { prediction: 'revenue90', enterAbove: 20, leaveBelow: 15.5 } }),
        ],
      }),
      [
        '/segments/0/thresholds/enterAbove Nobody would enter: churn is a probability, and never above 1. Give a number below 1, such as 0.7.',
        '/segments/1/thresholds/leaveBelow Nobody would leave: revenue is never below 0. Give a number above 0.',
        '/segments/2/thresholds/leaveBelow leaveBelow must be less than enterAbove, which is 0.5: between the two, players stay where they are. For one threshold, write predictions.spend.value into the rule instead.',
      ],
    ],
    [
      'thresholds without the right shape',
      configWith({
        segments: [
          segment('a', 'true', {
            thresholds: { prediction: 'churn', enterAbove: 0.7, leaveBelo: 0.5 } as never,
          }),
        ],
      }),
      [
        '/segments/0/thresholds/leaveBelow This member is missing.',
        '/segments/0/thresholds/leaveBelo There is no member "leaveBelo". Did you mean "leaveBelow"?',
      ],
    ],
  ])('for %s', (_what, document, expected) => {
    expect(problemsOf(document)).toEqual(expected);
  });

  it('for a bad rule, with the place in the document and the place in the rule', () => {
    const result = validateDocument(
      configWith({
        offers: [offer('a', { when: 'true &&\n contry == "DE"' })],
        segments: [segment('b', '1 +')],
      }),
    );
    expect(result).toEqual({
      ok: false,
      problems: [
        {
          pointer: '/segments/0/rule',
          subject: 'segment "b"',
          message: 'The rule ends too early.',
          position: { offset: 3, line: 1, column: 4 },
        },
        {
          pointer: '/offers/0/when',
          subject: 'offer "a"',
          message: 'There is no attribute "contry". Did you mean "country"?',
          position: { offset: 9, line: 2, column: 2 },
        },
      ],
    });
  });

  it('with everything at once: entries of the wrong shape do not hide what is wrong with the others', () => {
    const problems = problemsOf(
      configWith({
        segments: [segment('bad id!', 'true'), segment('a', 'segment("bad id!") && nonsense')],
        catalogue: [sku('shapeless', { active: 'yes' as never }), sku('gems', { defaultCurrency: 'EUR' })],
        offers: [offer('a', { skus: ['shapeless', 'gems', 'other'] })],
      }),
    );
    expect(problems).toEqual([
      '/segments/0/segmentId "bad id!" cannot be the id of a segment: begin with a letter, and use letters, digits, hyphens and underscores only, 64 at most.',
      '/catalogue/0/active The value must be true or false.',
      '/segments/1/rule There is no attribute "nonsense". A text stands in quotes: "nonsense".',
      '/catalogue/1/defaultCurrency There is no price in EUR.',
      '/offers/0/skus/2 There is no SKU "other".',
    ]);
  });

  it('also with dozens of mistakes, all of which are named', () => {
    const catalogue = Array.from({ length: 40 }, (_, n) => sku(`s${n}`, { active: 1 as never }));
    expect(problemsOf(configWith({ catalogue }))).toHaveLength(40);
  });

  it('and never with an exception, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: false, withNullPrototype: true }), (value) => {
        expect(validateDocument(value).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
    const members = Object.keys(configWith()) as (keyof typeof DEFAULT_DOCUMENT)[];
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.jsonValue({ maxDepth: 4 }), (member, value) => {
        validateDocument({ ...configWith(), [member]: value });
        validateDocument({ ...configWith(), [member]: [value] });
      }),
      { numRuns: 300 },
    );
  });
});
