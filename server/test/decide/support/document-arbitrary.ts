import fc from 'fast-check';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { AssetEntry } from '../../../src/decide/document/member-schemas.js';
import type { SkuEntry } from '../../../src/decide/document/parts/catalogue.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import { CURRENCIES, type PairedRule, rules } from '../rules/rule-arbitrary.js';
import { moments } from './facts-arbitrary.js';
import { configWith, offer, segment, sku } from './fixtures.js';

/** A random document that can be published, and what its rules mean. */
export type PairedDocument = {
  document: ConfigDocument;
  flagRules: Map<string, PairedRule>;
  segmentRules: Map<string, PairedRule>;
  offerRules: Map<string, PairedRule>;
};

export const FLAGS = ['beta', 'gamma'];
export const PROMOTIONS = ['spring', 'autumn'];
const SEGMENTS = ['s0', 's1', 's2'];
const SKUS = ['gems', 'pass', 'hero', 'chest'];
const DECIMALS: Record<string, number> = { USD: 2, EUR: 2, JPY: 0 };

const amountText = (minor: number, currency: string) =>
  (minor / 10 ** (DECIMALS[currency] ?? 2)).toFixed(DECIMALS[currency]);

const asset = (assetId: string): AssetEntry => ({
  assetId,
  type: 'image/png',
  url: `https://cdn.example.com/${assetId}.png`,
});

const schedules = fc.tuple(fc.option(moments, { freq: 2 }), fc.option(moments, { freq: 2 })).map(([a, b]) => {
  const text = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());
  if (a === null || b === null || a < b) return { from: text(a), until: text(b) };
  return a === b ? { from: text(a), until: null } : { from: text(b), until: text(a) };
});

/** Actual ≥ offer ≥ floor, and the offer price within the largest discount of 60%. */
const prices: fc.Arbitrary<SkuEntry['prices']> = fc
  .tuple(
    fc.subarray(CURRENCIES.slice(1)),
    fc.integer({ min: 100, max: 3000 }),
    fc.integer({ min: 40, max: 100 }),
    fc.option(fc.integer({ min: 0, max: 100 })),
  )
  .map(([others, actual, percent, floorPercent]) =>
    Object.fromEntries(
      ['USD', ...others].map((currency) => {
        const offerPrice = Math.ceil((actual * percent) / 100);
        const floor = floorPercent === null ? null : Math.floor((offerPrice * floorPercent) / 100);
        return [
          currency,
          {
            actualPrice: amountText(actual, currency),
            offerPrice: amountText(offerPrice, currency),
            ...(floor === null ? {} : { floorPrice: amountText(floor, currency) }),
          },
        ];
      }),
    ),
  );

const translations = fc
  .subarray(['de', 'de-AT', 'en-us', 'zh-Hant'])
  .map((locales) => Object.fromEntries(locales.map((locale) => [locale, `${locale} "text"`])));

const skus: fc.Arbitrary<SkuEntry[]> = fc
  .tuple(
    ...SKUS.map((skuId) =>
      fc
        .record({
          prices,
          schedule: schedules,
          active: fc.nat(5).map((n) => n > 0),
          hidden: fc.nat(3).map((n) => n === 0),
          names: translations,
          descriptions: translations,
          icons: fc.nat(1),
        })
        .map(({ schedule, names, descriptions, icons, ...rest }) =>
          sku(skuId, {
            ...rest,
            ...schedule,
            name: { default: `${skuId} name`, locales: names },
            description: { default: `${skuId} about`, locales: descriptions },
            assets: icons === 0 ? [] : [asset(`${skuId}-icon`)],
          }),
        ),
    ),
  )
  .chain((all) => fc.subarray(all, { minLength: 1 }));

const effects: fc.Arbitrary<OfferEntry['effect']> = fc
  .record(
    {
      visibility: fc.constantFrom<'show' | 'hide'>('show', 'hide', 'show'),
      price: fc.oneof(
        fc
          .constantFrom<string>('0', '5', '12.5', '33.33', '60')
          .map((discountPercent) => ({ discountPercent })),
        // Also prices that the rails forbid: a document that slipped through must not break them either.
        fc.integer({ min: 0, max: 4000 }).map((minor) => ({
          setTo: Object.fromEntries(CURRENCIES.map((currency) => [currency, amountText(minor, currency)])),
        })),
        fc.integer({ min: 0, max: 4000 }).map((minor) => ({ setTo: { EUR: amountText(minor, 'EUR') } })),
      ),
      badges: fc.constant<AssetEntry[]>([asset('sale-badge')]),
      promoId: fc.constantFrom(...PROMOTIONS),
    },
    { requiredKeys: [] },
  )
  .map((effect) => (Object.keys(effect).length === 0 ? { visibility: 'show' as const } : effect));

function offers(ids: readonly string[]): fc.Arbitrary<{ entry: OfferEntry; rule: PairedRule | null }[]> {
  const each = fc.record({
    rule: fc.option(rules(SEGMENTS, FLAGS), { freq: 2 }),
    schedule: schedules,
    sharePercent: fc.constantFrom(0, 30, 50, 100, 100, 100),
    holdoutPercent: fc.constantFrom(0, 0, 0, 40),
    skus: fc.oneof(fc.constant('all' as const), fc.subarray([...ids], { minLength: 1 })),
    effect: effects,
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
    combine: fc.boolean(),
  });
  return fc.array(each, { maxLength: 5 }).map((all) =>
    all.map(({ rule, schedule, limit, ...rest }, n) => ({
      rule,
      entry: offer(`o${n}`, {
        ...rest,
        ...schedule,
        when: rule?.cel ?? null,
        limitPerPlayer: rest.effect.promoId === undefined ? null : limit,
      }),
    })),
  );
}

/** Half of them never change, so that what else depends on time does not hide behind them. */
const someRules = (segments: readonly string[], flags: readonly string[]) =>
  fc.oneof(rules(segments, flags), fc.constant<PairedRule>({ cel: 'true', outcome: () => true }));

/** Segment n may refer to those before it and to `beta`, whose own rule refers to nothing; `gamma` has no rule. */
const flagsAndSegments = fc.record({
  beta: someRules([], []),
  segments: fc.tuple(...SEGMENTS.map((_, n) => someRules(SEGMENTS.slice(0, n), FLAGS))),
  defaults: fc.tuple(fc.boolean(), fc.boolean()),
  priorities: fc.tuple(...SEGMENTS.map(() => fc.integer({ min: 0, max: 2 }))),
  payerForDays: fc.option(fc.integer({ min: 1, max: 40 })),
});

const settings = fc.record({
  sendFallback: fc.boolean(),
  holdoutPercent: fc.constantFrom(0, 0, 50),
  largestDiscountPercent: fc.constantFrom('60', '100', '66.67'),
});

export const pairedDocuments: fc.Arbitrary<PairedDocument> = skus.chain((catalogue) =>
  fc
    .record({ flagsAndSegments, settings, offers: offers(catalogue.map(({ skuId }) => skuId)) })
    .map(
      ({
        flagsAndSegments: { beta, segments, defaults, priorities, payerForDays },
        settings: store,
        ...rest
      }) => ({
        document: configWith({
          flags: {
            isPayer: { payerForDays },
            custom: [
              { flagId: 'gamma', name: 'Gamma', rule: null, defaultValue: defaults[0] },
              { flagId: 'beta', name: 'Beta', rule: beta.cel, defaultValue: defaults[1] },
            ],
          },
          // Last to first: the order of the document is not that of the references.
          segments: SEGMENTS.map((id, n) =>
            segment(id, segments[n]?.cel ?? 'true', { priority: priorities[n] ?? 0 }),
          ).reverse(),
          catalogue,
          store,
          offers: rest.offers.map(({ entry }) => entry),
        }),
        flagRules: new Map([['beta', beta]]),
        segmentRules: new Map(
          SEGMENTS.flatMap((id, n) => (segments[n] === undefined ? [] : [[id, segments[n]]])),
        ),
        offerRules: new Map(
          rest.offers.flatMap(({ entry, rule }) => (rule === null ? [] : [[entry.offerId, rule]])),
        ),
      }),
    ),
);
