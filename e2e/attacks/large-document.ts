const SEGMENTS = 200;
const SKUS = 1_000;
const OFFERS = 50;

/** As large as a studio may publish it: about half a megabyte. Each round differs in every rule and price. */
export function largeDocument(round: number): unknown {
  const price = (n: number) => `${2 + ((n + round) % 90)}.99`;
  return {
    flags: { isPayer: { payerForDays: null }, custom: [] },
    segments: Array.from({ length: SEGMENTS }, (_, n) => ({
      segmentId: `segment_${n}`,
      name: `Segment ${n}`,
      rule: `sessions.last7d >= ${(n + round) % 7} && (spend["USD"].last28d >= ${n + round} || country == "DE")`,
      visibleToClients: true,
      priority: n % 10,
    })),
    catalogue: Array.from({ length: SKUS }, (_, n) => ({
      skuId: `sku_${n}`,
      name: { default: `Bundle ${n}`, locales: { de: `Paket ${n}`, fr: `Lot ${n}` } },
      description: { default: `Everything that a player needs for level ${n}.`, locales: {} },
      prices: {
        USD: { actualPrice: price(n), offerPrice: price(n) },
        EUR: { actualPrice: price(n), offerPrice: price(n) },
      },
      defaultCurrency: 'USD',
      assets: [{ assetId: `picture_${n}`, type: 'image', url: `https://example.com/pictures/${n}.png` }],
      active: true,
      from: null,
      until: null,
    })),
    store: { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '60' },
    offers: Array.from({ length: OFFERS }, (_, n) => ({
      offerId: `offer_${n}`,
      name: `Offer ${n}`,
      when: `"segment_${n}" in segments`,
      from: null,
      until: null,
      sharePercent: 100,
      skus: Array.from({ length: 100 }, (_, index) => `sku_${(n * 20 + index) % SKUS}`),
      effect: { price: { discountPercent: String(10 + ((n + round) % 40)) } },
      limitPerPlayer: null,
      combine: true,
    })),
  };
}
