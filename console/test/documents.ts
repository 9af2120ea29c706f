import type { ConfigDocument, Offer, Sku } from '../src/lib/document.js';

export const sku = (skuId: string, price: string): Sku => ({
  skuId,
  name: { default: skuId, locales: {} },
  description: { default: '', locales: {} },
  prices: { USD: { actualPrice: price, offerPrice: price } },
  defaultCurrency: 'USD',
  assets: [],
  active: true,
  from: null,
  until: null,
});

export const offer = (offerId: string, change: Partial<Offer> = {}): Offer => ({
  offerId,
  name: offerId,
  when: null,
  from: null,
  until: null,
  sharePercent: 100,
  skus: 'all',
  effect: { price: { discountPercent: '10' } },
  limitPerPlayer: null,
  combine: false,
  ...change,
});

export const document = (change: Partial<ConfigDocument> = {}): ConfigDocument => ({
  flags: { isPayer: { payerForDays: 90 }, custom: [] },
  segments: [],
  catalogue: [sku('gems', '1.00'), sku('chest', '5.00'), sku('pass', '9.00')],
  store: { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '60' },
  offers: [],
  ...change,
});
