import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import {
  compiled,
  configWith,
  facts,
  NOW,
  offer,
  PUBLISHED_AT,
  segment,
  sku,
  storeJson,
} from '../support/fixtures.js';

const iso = (instant: number) => new Date(instant).toISOString();
const HOUR_MS = 3_600_000;

describe('the store', () => {
  const translated = sku('gems', {
    name: { default: 'Gems', locales: { de: 'Edelsteine', 'de-AT': 'Klunker' } },
    description: { default: 'Shiny', locales: { de: 'Glänzend' } },
  });

  it.each([
    [undefined, 'Gems', 'Shiny'],
    ['en-US', 'Gems', 'Shiny'],
    ['de', 'Edelsteine', 'Glänzend'],
    ['de_CH', 'Edelsteine', 'Glänzend'],
    ['DE-at', 'Klunker', 'Glänzend'],
    ['de-AT-1996', 'Klunker', 'Glänzend'],
    ['-', 'Gems', 'Shiny'],
  ])('speaks %s', (locale, name, description) => {
    const player = facts(locale === undefined ? {} : { profile: { locale: { v: locale, t: 1 } } });
    const document = compiled({ catalogue: [translated] });
    expect(decide(document, player, NOW).store.activeSkus[0]).toMatchObject({ name, description });
  });

  it('sells a SKU from the beginning to the end of its schedule, to the millisecond', () => {
    const [from, until] = [NOW + HOUR_MS, NOW + 2 * HOUR_MS];
    const document = compiled({ catalogue: [sku('flash', { from: iso(from), until: iso(until) })] });
    const at = (now: number) => {
      const { store, validUntil } = decide(document, facts(), now);
      return [store.activeSkus.length, store.lastUpdatedTimestamp, validUntil];
    };
    expect(at(from - 1)).toEqual([0, PUBLISHED_AT, from]);
    expect(at(from)).toEqual([1, from, until]);
    expect(at(until - 1)).toEqual([1, from, until]);
    expect(at(until)).toEqual([0, until, Infinity]);
  });

  it('is sent as exact JSON, with the untargeted one to fall back on', () => {
    const badge = { assetId: 'b', type: 'image/png', url: 'https://cdn.example.com/b.png' };
    const document = compiled({
      store: { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '100' },
      catalogue: [sku('gems')],
      offers: [
        offer('sale', { effect: { price: { discountPercent: '50' }, badges: [badge], promoId: 'x"y' } }),
      ],
    });
    const head =
      '{"skuId":"gems","name":"Name of gems","description":"About gems","actualPrice":10.00,"offerPrice":';
    expect(storeJson(decide(document, facts(), NOW).store)).toBe(
      `{"activeSkus":[${head}5.00,"currency":"USD","assets":[${JSON.stringify(badge)}],"active":true,"promoId":"x\\"y"}],` +
        `"userSpecificPromoId":"x\\"y","fallbackConfig":{"version":7,` +
        `"activeSkus":[${head}10.00,"currency":"USD","assets":[],"active":true}],"lastUpdatedTimestamp":${PUBLISHED_AT}},` +
        `"lastUpdatedTimestamp":${PUBLISHED_AT}}`,
    );
  });
});

describe('a document that cannot be used as a whole', () => {
  it('is used as far as it can be, and says what is left out', () => {
    const unusable: string[] = [];
    const document = compileDocument(
      configWith({
        flags: {
          isPayer: { payerForDays: null },
          custom: [{ flagId: 'shaky', name: 'Shaky', rule: 'nonsense', defaultValue: true }],
        },
        segments: [segment('a', 'segment("b")'), segment('b', 'segment("a")'), segment('odd', 'nonsense')],
        catalogue: [sku('good'), sku('bad', { defaultCurrency: 'EUR' })],
        offers: [offer('lost', { when: 'nonsense' }), offer('timeless', { from: 'soon' }), offer('fine')],
      }),
      { version: 1, publishedAt: 0 },
      (part) => unusable.push(part),
    );
    expect(unusable.sort()).toEqual([
      'flag:shaky',
      'offer:lost',
      'offer:timeless',
      'segment:a',
      'segment:b',
      'segment:odd',
      'sku:bad',
    ]);
    const { store, segments, flags } = decide(document, facts(), NOW);
    expect(segments).toEqual([]);
    expect(flags.shaky?.value).toBe(true);
    expect(store.activeSkus.map(({ skuId, offerPrice }) => [skuId, offerPrice])).toEqual([['good', '9.00']]);
  });
});
