// Documents as a studio might publish them: the given number of segments, offers and SKUs.
import { DEFAULT_DOCUMENT } from '../../server/dist/decide/document/default-document.js';
import { PREDICTION_NAMES } from '../../server/dist/decide/predict/artefact.js';

const DAY_MS = 86_400_000;

/** Rules of every kind: days, counts, windows, money, device, flags, and combinations. `n` makes them differ. */
const RULES = [
  (n) => `daysSinceFirstSeen < ${7 + n}`,
  (n) => `purchases.total > ${n % 5} && daysSinceLastPurchase < ${30 + n}`,
  (n) => `spend["USD"].last28d >= ${5 + n}`,
  (n) => `events["Level_Complete"].last7d >= ${1 + n}`,
  (n) => `sessions.last7d >= ${1 + (n % 7)} && os == "Android"`,
  (n) => `!flags.isPayer && adImpressions.last28d > ${n}`,
  (n) => `flags.isPayer || storeViews.last7d > ${n}`,
  (n) => `playMinutes.last7d < ${60 + n} && activeDays.last28d >= 1`,
  (n) => `country == "DE" || locale.startsWith("de") || eventCount.total > ${10 + n}`,
  (n) => `deviceType == "phone" && daysSinceLastEvent < ${14 + n}`,
];

const PREDICTION_RULES = [
  (n) => `predictions.churn.value > ${(0.2 + (n % 60) / 100).toFixed(2)}`,
  (n) => `predictions.churn.band == "high" && eventCount.total > ${n}`,
  (n) => `predictions.churn.percentile >= ${n % 100}`,
  (n) => `predictions.spend.value < ${(0.01 + (n % 20) / 100).toFixed(2)} && !flags.isPayer`,
];

const ruleOf = (usesPredictions, n) => {
  const rules = usesPredictions ? PREDICTION_RULES : RULES;
  return rules[n % rules.length](n);
};

export function makeDocument({ segments, offers, skus = 20, usesPredictions = false }, nowMs = Date.now()) {
  const moment = (days) => new Date(nowMs + days * DAY_MS).toISOString();
  return {
    ...DEFAULT_DOCUMENT,
    segments: Array.from({ length: segments }, (_, n) => segment(n, ruleOf(usesPredictions, n))),
    catalogue: Array.from({ length: skus }, (_, n) => sku(n)),
    store: { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '60' },
    offers: Array.from({ length: offers }, (_, n) =>
      offer(n, ruleOf(usesPredictions, n), { segments, skus }, moment),
    ),
    predictions: { visibleToClients: usesPredictions ? [...PREDICTION_NAMES] : [], off: [] },
  };
}

function segment(n, rule) {
  const name = `Segment ${n}`;
  return { segmentId: `segment_${n}`, name, rule, visibleToClients: n % 2 === 0, priority: n % 10 };
}

function sku(n) {
  const price = `${2 + n}.99`;
  return {
    skuId: `sku_${n}`,
    name: { default: `Bundle ${n}`, locales: { de: `Paket ${n}` } },
    description: { default: `Everything for level ${n}.`, locales: {} },
    prices: {
      USD: { actualPrice: price, offerPrice: price },
      EUR: { actualPrice: price, offerPrice: price },
    },
    defaultCurrency: 'USD',
    assets: [
      {
        assetId: `sku-${n}-icon`,
        type: 'image/png',
        url: `https://cdn.example.com/sku-${n}.png`,
        tag: 'icon',
      },
    ],
    active: true,
    from: null,
    until: null,
  };
}

/** Every fifth is always on; the others run, have not begun or are over, for all, for a segment or by a rule. */
function offer(n, rule, { segments, skus }, moment) {
  const [from, until] = [
    [null, null],
    [moment(-7), moment(7)],
    [moment(-1), null],
    [moment(2), moment(9)],
    [moment(-9), moment(-2)],
  ][n % 5];
  const bySegment = segments > 0 ? `"segment_${n % segments}" in segments` : null;
  return {
    offerId: `offer_${n}`,
    name: `Offer ${n}`,
    when: [rule, bySegment, null][n % 3],
    from,
    until,
    sharePercent: n % 4 === 0 ? 50 : 100,
    skus: n % 10 === 0 ? 'all' : [`sku_${n % skus}`, `sku_${(n + 7) % skus}`],
    effect: { price: { discountPercent: String(5 + (n % 20)) }, promoId: `promo-${n}` },
    limitPerPlayer: n % 6 === 0 ? 3 : null,
    combine: n % 7 === 0,
  };
}
