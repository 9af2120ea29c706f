import { describe, expect, it } from 'vitest';
import type { ConfigDocument, OfferEntry } from '../../../src/features/personalisation/document.js';
import { priceRaises } from '../../../src/features/personalisation/price-raises.js';
import { configWith, NOW, offer, sku } from './fixtures.js';

const catalogue = [
  sku('gems', {
    prices: { USD: { actualPrice: '10', offerPrice: '10' }, EUR: { actualPrice: '10', offerPrice: '9' } },
  }),
  sku('pass'),
];
const sale = offer('sale', { skus: ['gems'], effect: { price: { setTo: { USD: '5', EUR: '4' } } } });
const current = configWith({ catalogue, offers: [sale] });
const changed = (change: Partial<OfferEntry>): ConfigDocument =>
  configWith({ catalogue, offers: [{ ...sale, ...change }] });

/** Each as `sku: from → to currency`. */
const raises = (next: ConfigDocument, before = current) =>
  priceRaises(before, next, NOW).map(
    ({ skuId, currency, from, to }) => `${skuId}: ${from} → ${to} ${currency}`,
  );

describe('priceRaises', () => {
  it('finds a price that a running offer raises, and where', () => {
    const next = changed({ effect: { price: { setTo: { USD: '5.01', EUR: '4' } } } });
    expect(priceRaises(current, next, NOW)).toEqual([
      { offerId: 'sale', skuId: 'gems', currency: 'USD', from: '5.00', to: '5.01', pointer: '/offers/0' },
    ]);
  });

  it('has nothing to say about lower prices, unchanged ones and other SKUs', () => {
    expect(raises(current)).toEqual([]);
    expect(raises(changed({ effect: { price: { setTo: { USD: '4', EUR: '4' } } } }))).toEqual([]);
    const dearer = sku('pass', { prices: { USD: { actualPrice: '20', offerPrice: '20' } } });
    expect(raises(configWith({ catalogue: [catalogue[0] ?? dearer, dearer], offers: [sale] }))).toEqual([]);
  });

  it('counts an offer that is gone, ends early or leaves the SKU out: the catalogue price is back', () => {
    const back = ['gems: 5.00 → 10.00 USD', 'gems: 4.00 → 9.00 EUR'];
    expect(raises(configWith({ catalogue, offers: [] }))).toEqual(back);
    expect(raises(changed({ until: new Date(NOW).toISOString() }))).toEqual(back);
    expect(raises(changed({ skus: ['pass'] }))).toEqual(back);
    expect(raises(changed({ sharePercent: 0 }))).toEqual(back);
  });

  it('counts a rail or a list price that is raised under the offer', () => {
    const floored = sku('gems', {
      prices: {
        USD: { actualPrice: '10', offerPrice: '10', floorPrice: '6' },
        EUR: { actualPrice: '10', offerPrice: '9' },
      },
    });
    expect(raises(configWith({ catalogue: [floored], offers: [sale] }))).toEqual(['gems: 5.00 → 6.00 USD']);
    const percent = offer('sale', { skus: ['pass'], effect: { price: { discountPercent: '50' } } });
    const before = configWith({ catalogue, offers: [percent] });
    const dearer = sku('pass', { prices: { USD: { actualPrice: '12', offerPrice: '12' } } });
    expect(raises(configWith({ catalogue: [dearer], offers: [percent] }), before)).toEqual([
      'pass: 5.00 → 6.00 USD',
    ]);
  });

  it('ignores offers that do not run now, and SKUs that are no longer sold', () => {
    const later = configWith({ catalogue, offers: [{ ...sale, from: new Date(NOW + 1).toISOString() }] });
    expect(raises(configWith({ catalogue, offers: [] }), later)).toEqual([]);
    expect(raises(configWith({ catalogue: [], offers: [] }))).toEqual([]);
  });
});
