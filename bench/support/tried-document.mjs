import { DEFAULT_DOCUMENT } from '../../server/dist/decide/document/default-document.js';
import { validateDocument } from '../../server/dist/decide/validate/validate-document.js';

/** The default document with 20 more segments and 20 offers, with windows and event counts. */
export function triedDocument() {
  const rules = [
    'events["Level_Complete"].last7d >= 10',
    'events["Level_Start"].last28d > 20 && country == "US"',
    'sessions.last7d >= 5 && !flags.isPayer',
    'playMinutes.last28d > 300',
    'spend["USD"].last28d >= 10.0',
    'purchases.last28d > 0 && daysSinceLastEvent < 3',
    'activeDays.last28d >= 10 || eventCount.last7d > 100',
    'storeViews.last7d > 3 && purchases.total == 0',
    'os == "iOS" && daysSinceFirstSeen < 30',
    'segment("engaged") && adImpressions.last28d > 100',
  ];
  const both = rules.flatMap((rule, n) => [rule, `${rule} && !(${rules[(n + 1) % rules.length]})`]);
  const document = {
    ...DEFAULT_DOCUMENT,
    segments: [
      ...DEFAULT_DOCUMENT.segments.map((each) =>
        each.segmentId === 'engaged' ? { ...each, rule: 'activeDays.last7d >= 3' } : each,
      ),
      ...both.map((rule, n) => ({
        segmentId: `segment-${n}`,
        name: `Segment ${n}`,
        rule,
        visibleToClients: false,
        priority: n,
      })),
    ],
    catalogue: ['gems', 'pass', 'chest'].map((skuId) => ({
      skuId,
      name: { default: skuId, locales: {} },
      description: { default: '', locales: {} },
      prices: { USD: { actualPrice: '9.99', offerPrice: '9.99' } },
      defaultCurrency: 'USD',
      assets: [],
      active: true,
      from: null,
      until: null,
    })),
    offers: both.map((rule, n) => ({
      offerId: `offer-${n}`,
      name: `Offer ${n}`,
      from: null,
      until: null,
      skus: 'all',
      combine: false,
      when: n % 2 === 0 ? `segment("segment-${n}")` : rule,
      sharePercent: n % 3 === 0 ? 50 : 100,
      effect: { price: { discountPercent: '10' }, promoId: `promo-${n}` },
      limitPerPlayer: n % 5 === 0 ? 1 : null,
    })),
  };
  const validation = validateDocument(document);
  if (!validation.ok) throw new Error(JSON.stringify(validation.problems));
  return document;
}
