import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import { configWith, offer, problemsOf, segment, sku } from '../support/fixtures.js';

const pricing = (changes: Partial<NonNullable<ConfigDocument['pricing']>> = {}) => ({
  notices: {},
  forbiddenAttributes: [],
  largestSpreadPercent: null,
  ...changes,
});

describe('notices', () => {
  it('are by country', () => {
    expect(problemsOf(configWith({ pricing: pricing({ notices: { DE: 'a', '*': 'b' } }) }))).toEqual([]);
    expect(problemsOf(configWith({ pricing: pricing({ notices: { Germany: 'a' } }) }))).toEqual([
      '/pricing/notices/Germany "Germany" is not a country: write two capital letters, as in DE, or * for all others.',
    ]);
  });
});

describe('forbidden attributes', () => {
  const problems = (...offers: OfferEntry[]) =>
    problemsOf(
      configWith({
        segments: [
          segment('whales', 'predictions.revenue.value > 5.0'),
          segment('near', 'segment("whales")'),
        ],
        catalogue: [sku('gems'), sku('pass')],
        offers,
        pricing: pricing({ forbiddenAttributes: ['predictions'] }),
      }),
    );
  const refused = (n: number, through = '') =>
    `/offers/${n}/when The rule of this offer decides about prices and reads predictions${through}, which the game forbids in rules about prices.`;
  const personal = 'predictions.churn.value > 0.5';

  it('are refused in rules about prices, also through segments', () => {
    expect(problems(offer('a', { when: 'country == "DE"' }))).toEqual([]);
    expect(problems(offer('a', { when: personal }))).toEqual([refused(0)]);
    expect(problems(offer('a', { when: 'segment("near")' }))).toEqual([
      refused(0, ' through segment "near"'),
    ]);
  });

  it('may decide who sees a SKU, unless that keeps a price away', () => {
    const shows = offer('a', { when: personal, effect: { visibility: 'show' }, skus: ['gems'] });
    expect(problems(shows)).toEqual([]);
    expect(problems(shows, offer('b', { skus: ['pass'] }))).toEqual([]);
    expect(problems(shows, offer('b'))).toEqual([refused(0)]);
    expect(problems({ ...shows, combine: true }, offer('b'))).toEqual([]);
  });

  it('must exist', () => {
    expect(problemsOf(configWith({ pricing: pricing({ forbiddenAttributes: ['predictons'] }) }))).toEqual([
      '/pricing/forbiddenAttributes/0 There is no attribute "predictons". Did you mean "predictions"?',
    ]);
  });
});

describe('the largest spread', () => {
  const personal = 'sessions.total > 5';
  const off = (percent: string) => ({ price: { discountPercent: percent } });
  const problems = (offers: OfferEntry[], changes: Partial<ConfigDocument> = {}) =>
    problemsOf(
      configWith({
        catalogue: [sku('gems')],
        offers,
        pricing: pricing({ largestSpreadPercent: '30' }),
        ...changes,
      }),
    );
  const wide = (cheap: string, dear: string, by: string) => [
    `/catalogue/0 Two players of one country may see it for ${cheap} USD and for ${dear} USD at the same time (${by}): the largest spread is 30.00%.`,
  ];

  it.each<[string, OfferEntry[]]>([
    ['what everybody gets', [offer('a', { effect: off('60') })]],
    ['what a country gets', [offer('a', { effect: off('60'), when: 'country == "DE"' })]],
    ['a personal price within it', [offer('a', { effect: off('30'), when: personal })]],
    [
      'personal discounts at different times',
      [
        offer('a', { effect: off('25'), when: personal, until: '2026-11-20T00:00:00Z' }),
        offer('b', { effect: off('25'), when: personal, from: '2026-11-20T00:00:00Z' }),
      ],
    ],
    [
      'personal discounts in different countries',
      [
        offer('a', { effect: off('60'), when: 'country == "DE"', combine: true }),
        offer('b', { effect: off('60'), when: 'country == "US"', combine: true }),
        offer('c', { effect: off('20'), when: personal, combine: true }),
      ],
    ],
    [
      'a second personal discount that a SKU cannot have as well',
      [offer('a', { effect: off('25'), when: personal }), offer('b', { effect: off('25'), when: personal })],
    ],
  ])('allows %s', (_name, offers) => {
    expect(problems(offers)).toEqual([]);
  });

  it('refuses prices that lie further apart, and names the offers', () => {
    expect(problems([offer('a', { effect: off('31'), when: personal })])).toEqual(
      wide('6.90', '10.00', 'by a'),
    );
    const combined = ['a', 'b'].map((id) => offer(id, { effect: off('20'), when: personal, combine: true }));
    expect(problems(combined)).toEqual(wide('6.40', '10.00', 'by a, b'));
    const byPlatform = offer('a', { effect: off('50'), when: 'os == "ios"' });
    expect(problems([byPlatform])).toEqual(wide('5.00', '10.00', 'by a'));
    const drawn = { sendFallback: false, holdoutPercent: 5, largestDiscountPercent: '100' };
    expect(problems([offer('a', { effect: off('50') })], { store: drawn })).toEqual(
      wide('5.00', '10.00', 'players who are held out do not get the offers'),
    );
    expect(problems([offer('a', { effect: off('50'), holdoutPercent: 5 })])).toEqual(
      wide('5.00', '10.00', 'by a'),
    );
  });

  it('counts the floor below which no price falls', () => {
    const catalogue = [
      sku('gems', { prices: { USD: { actualPrice: '10', offerPrice: '10', floorPrice: '8' } } }),
    ];
    expect(problems([offer('a', { effect: off('50'), when: personal })], { catalogue })).toEqual([]);
  });
});
