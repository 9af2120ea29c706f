import { describe, expect, it } from 'vitest';
import type { ConfigDocument, Offer, Segment, Sku } from '../src/lib/document.js';
import { mergeDocuments } from '../src/lib/merge.js';
import { document, offer, sku } from './documents.js';

const segment = (change: Partial<Segment> = {}): Segment => ({
  segmentId: 'whales',
  name: 'Whales',
  rule: 'purchases.total > 3',
  visibleToClients: false,
  priority: 0,
  ...change,
});
const flag = { flagId: 'isTester', name: 'Tester', rule: null, defaultValue: false };
/** Has an entry of every kind. */
const base = document({
  flags: { isPayer: { payerForDays: 90 }, custom: [flag] },
  segments: [segment()],
  offers: [offer('weekend', { skus: ['gems', 'chest'] })],
  predictions: { visibleToClients: ['churn'], off: [] },
});
const gems = sku('gems', '1.00');
type Change = (document: ConfigDocument) => ConfigDocument;
const withSku =
  (change: Partial<Sku>): Change =>
  (of) => ({
    ...of,
    catalogue: of.catalogue.map((each) => (each.skuId === 'gems' ? { ...each, ...change } : each)),
  });
const withPrice = (currency: string, actualPrice: string, offerPrice = '1.00') =>
  withSku({ prices: { ...gems.prices, [currency]: { actualPrice, offerPrice } } });
const withSegment =
  (change: Partial<Segment>): Change =>
  (of) => ({ ...of, segments: [{ ...segment(), ...change }] });
const withOffer =
  (change: Partial<Offer>): Change =>
  (of) => ({ ...of, offers: of.offers.map((each) => ({ ...each, ...change })) });
const withFlag =
  (change: Partial<typeof flag>): Change =>
  (of) => ({ ...of, flags: { ...of.flags, custom: [{ ...flag, ...change }] } });
const withStore =
  (change: Partial<ConfigDocument['store']>): Change =>
  (of) => ({ ...of, store: { ...of.store, ...change } });
const withPredictions =
  (change: Partial<ConfigDocument['predictions']>): Change =>
  (of) => ({ ...of, predictions: { visibleToClients: ['churn'], off: [], ...change } });
const withPayerDays =
  (payerForDays: number | null): Change =>
  (of) => ({ ...of, flags: { ...of.flags, isPayer: { payerForDays } } });
const order = ({ catalogue }: ConfigDocument) => catalogue.map(({ skuId }) => skuId);

describe('two editors of one draft keep what each changed of', () => {
  const both: [string, Change, Change, Partial<ConfigDocument>][] = [
    [
      'a SKU: its price and its name',
      withPrice('USD', '2.00'),
      withSku({ name: { default: 'Pile', locales: {} } }),
      {
        catalogue: [
          {
            ...sku('gems', '1.00'),
            name: { default: 'Pile', locales: {} },
            prices: { USD: { actualPrice: '2.00', offerPrice: '1.00' } },
          },
          ...base.catalogue.slice(1),
        ],
      },
    ],
    [
      'a SKU: prices in two currencies, and both prices of one',
      withSku({
        prices: {
          USD: { actualPrice: '2.00', offerPrice: '1.00' },
          EUR: { actualPrice: '3', offerPrice: '3' },
        },
      }),
      withSku({
        prices: {
          USD: { actualPrice: '1.00', offerPrice: '0.50' },
          JPY: { actualPrice: '99', offerPrice: '99' },
        },
      }),
      {
        catalogue: [
          {
            ...gems,
            prices: {
              USD: { actualPrice: '2.00', offerPrice: '0.50' },
              EUR: { actualPrice: '3', offerPrice: '3' },
              JPY: { actualPrice: '99', offerPrice: '99' },
            },
          },
          ...base.catalogue.slice(1),
        ],
      },
    ],
    [
      'a SKU: texts in two locales',
      withSku({ name: { default: 'gems', locales: { de: 'Steine' } } }),
      withSku({ name: { default: 'gems', locales: { fr: 'Gemmes' } } }),
      {
        catalogue: [
          { ...gems, name: { default: 'gems', locales: { de: 'Steine', fr: 'Gemmes' } } },
          ...base.catalogue.slice(1),
        ],
      },
    ],
    [
      'a segment: its rule and its thresholds',
      withSegment({ rule: 'purchases.total > 5' }),
      withSegment({ thresholds: { prediction: 'churn', enterAbove: 0.7, leaveBelow: 0.5 } }),
      {
        segments: [
          segment({
            rule: 'purchases.total > 5',
            thresholds: { prediction: 'churn', enterAbove: 0.7, leaveBelow: 0.5 },
          }),
        ],
      },
    ],
    [
      'a flag: its rule and its name',
      withFlag({ name: 'Testers' }),
      withFlag({ defaultValue: true }),
      { flags: { ...base.flags, custom: [{ ...flag, name: 'Testers', defaultValue: true }] } },
    ],
    [
      'isPayer and a flag',
      withPayerDays(30),
      withFlag({ defaultValue: true }),
      { flags: { isPayer: { payerForDays: 30 }, custom: [{ ...flag, defaultValue: true }] } },
    ],
    [
      'an offer: its window and its effect',
      withOffer({ until: '2026-12-01T00:00:00Z' }),
      withOffer({ effect: { price: { discountPercent: '20' }, promoId: 'p' } }),
      {
        offers: [
          offer('weekend', {
            skus: ['gems', 'chest'],
            until: '2026-12-01T00:00:00Z',
            effect: { price: { discountPercent: '20' }, promoId: 'p' },
          }),
        ],
      },
    ],
    [
      'an offer: the SKUs that one added and one removed',
      withOffer({ skus: ['gems', 'chest', 'pass'] }),
      withOffer({ skus: ['chest'] }),
      { offers: [offer('weekend', { skus: ['chest', 'pass'] })] },
    ],
    [
      'the store',
      withStore({ holdoutPercent: 5 }),
      withStore({ sendFallback: false }),
      { store: { ...base.store, holdoutPercent: 5, sendFallback: false } },
    ],
    [
      'predictions: what is visible and what is off',
      withPredictions({ visibleToClients: ['churn', 'spend'] }),
      withPredictions({ visibleToClients: [], off: ['revenue'] }),
      { predictions: { visibleToClients: ['spend'], off: ['revenue'] } },
    ],
  ];

  it.each(both)('%s', (_name, my, their, expected) => {
    const merged = { document: { ...base, ...expected }, clashes: [] };
    expect(mergeDocuments(base, my(base), their(base))).toEqual(merged);
    expect(mergeDocuments(base, their(base), my(base))).toEqual(merged);
  });
});

describe('two editors of one draft choose where both changed', () => {
  const clashes: [
    string,
    Change,
    Change,
    { path: string; members: string[]; mine: unknown; theirs: unknown },
  ][] = [
    [
      'a price',
      withPrice('USD', '2.00'),
      withPrice('USD', '3.00'),
      { path: 'catalogue/gems', members: ['prices', 'USD', 'actualPrice'], mine: '2.00', theirs: '3.00' },
    ],
    [
      'a currency that both added',
      withPrice('EUR', '2'),
      withPrice('EUR', '3'),
      { path: 'catalogue/gems', members: ['prices', 'EUR', 'actualPrice'], mine: '2', theirs: '3' },
    ],
    [
      'a currency that one removed',
      withSku({ prices: {} }),
      withPrice('USD', '3.00'),
      {
        path: 'catalogue/gems',
        members: ['prices', 'USD'],
        mine: undefined,
        theirs: { actualPrice: '3.00', offerPrice: '1.00' },
      },
    ],
    [
      'an entry that one removed',
      (of) => ({ ...of, segments: [] }),
      withSegment({ priority: 3 }),
      { path: 'segments/whales', members: [], mine: undefined, theirs: segment({ priority: 3 }) },
    ],
    [
      'thresholds, as one value',
      withSegment({ thresholds: { prediction: 'churn', enterAbove: 0.7, leaveBelow: 0.5 } }),
      withSegment({ thresholds: { prediction: 'spend', enterAbove: 0.9, leaveBelow: 0.5 } }),
      {
        path: 'segments/whales',
        members: ['thresholds'],
        mine: { prediction: 'churn', enterAbove: 0.7, leaveBelow: 0.5 },
        theirs: { prediction: 'spend', enterAbove: 0.9, leaveBelow: 0.5 },
      },
    ],
    [
      'a flag',
      withFlag({ name: 'One' }),
      withFlag({ name: 'Two' }),
      { path: 'flags/custom/isTester', members: ['name'], mine: 'One', theirs: 'Two' },
    ],
    [
      'isPayer',
      withPayerDays(30),
      withPayerDays(null),
      { path: 'flags/isPayer', members: ['payerForDays'], mine: 30, theirs: null },
    ],
    [
      'the store',
      withStore({ holdoutPercent: 5 }),
      withStore({ holdoutPercent: 10 }),
      { path: 'store', members: ['holdoutPercent'], mine: 5, theirs: 10 },
    ],
    [
      'the price of an offer, which is an amount or a discount',
      withOffer({ effect: { price: { setTo: { USD: '1' } } } }),
      withOffer({ effect: { price: { discountPercent: '20' } } }),
      {
        path: 'offers/weekend',
        members: ['effect', 'price'],
        mine: { setTo: { USD: '1' } },
        theirs: { discountPercent: '20' },
      },
    ],
    [
      'the SKUs of an offer, where one chose all',
      withOffer({ skus: 'all' }),
      withOffer({ skus: ['gems'] }),
      { path: 'offers/weekend', members: ['skus'], mine: 'all', theirs: ['gems'] },
    ],
    [
      'predictions that neither had before',
      withPredictions({ visibleToClients: ['churn'] }),
      withPredictions({ visibleToClients: ['spend'] }),
      { path: 'predictions', members: ['visibleToClients'], mine: ['churn'], theirs: ['spend'] },
    ],
    [
      'the order of a list',
      (of) => ({ ...of, catalogue: [...of.catalogue].reverse() }),
      (of) => ({ ...of, catalogue: [of.catalogue[1], of.catalogue[0], of.catalogue[2]] as Sku[] }),
      { path: 'catalogue', members: [], mine: ['pass', 'chest', 'gems'], theirs: ['chest', 'gems', 'pass'] },
    ],
  ];

  it.each(clashes)('%s', (name, my, their, expected) => {
    const { predictions: _, ...without } = base;
    const start: ConfigDocument = name.startsWith('predictions') ? without : base;
    const [mine, theirs] = [my(start), their(start)];
    const { document: merged, clashes: found } = mergeDocuments(start, mine, theirs);
    expect(found[0]).toMatchObject(expected);
    expect(merged).toEqual(mine);
    const choices = Object.fromEntries(found.map(({ key }) => [key, 'theirs'] as const));
    expect(mergeDocuments(start, mine, theirs, choices).document).toEqual(theirs);
  });

  it('each value by itself', () => {
    const mine = withStore({ holdoutPercent: 5 })(withPrice('USD', '2.00')(base));
    const theirs = withStore({ holdoutPercent: 10 })(withPrice('USD', '3.00')(base));
    const { clashes: found } = mergeDocuments(base, mine, theirs);
    expect(found.map(({ key }) => key)).toEqual([
      'catalogue/gems › prices › USD › actualPrice',
      'store › holdoutPercent',
    ]);
    const choices = { 'store › holdoutPercent': 'theirs' as const };
    expect(mergeDocuments(base, mine, theirs, choices).document).toEqual(
      withStore({ holdoutPercent: 10 })(mine),
    );
  });
});

describe('a merge of two drafts', () => {
  it('is what both did where both did the same', () => {
    const same = withPrice('USD', '2.00')(base);
    expect(mergeDocuments(base, same, structuredClone(same))).toEqual({ document: same, clashes: [] });
  });

  it('keeps what one removed removed, and what one added', () => {
    const mine = { ...base, catalogue: base.catalogue.slice(1) };
    const theirs = { ...base, catalogue: [...base.catalogue, sku('new', '3.00')] };
    const { document: merged, clashes } = mergeDocuments(base, mine, theirs);
    expect([order(merged), clashes]).toEqual([['chest', 'pass', 'new'], []]);
  });

  it('keeps the order that one changed, with what the other added last', () => {
    const reversed = { ...base, catalogue: [...base.catalogue].reverse() };
    const added = { ...base, catalogue: [...base.catalogue, sku('new', '3.00')] };
    expect(order(mergeDocuments(base, reversed, added).document)).toEqual(['pass', 'chest', 'gems', 'new']);
    expect(order(mergeDocuments(base, added, reversed).document)).toEqual(['pass', 'chest', 'gems', 'new']);
  });

  it('keeps a part that only one of them has', () => {
    const { predictions, ...without } = base;
    expect(mergeDocuments(without, withStore({ holdoutPercent: 5 })(without), base).document).toEqual(
      withStore({ holdoutPercent: 5 })(base),
    );
    expect(mergeDocuments(without, base, without).document.predictions).toEqual(predictions);
    expect(mergeDocuments(base, without, base).document).not.toHaveProperty('predictions');
  });
});
