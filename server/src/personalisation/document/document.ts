import { type Static, type TSchema, Type } from 'typebox';
import { PATTERNS } from './document-patterns.js';

/**
 * What a studio publishes for a game: flags, segments, catalogue, store settings, offers and which predictions are told, as one
 * document that is versioned as a whole. This file says which shape it has; `validate-document.ts` says which documents make sense.
 * Prices and percentages of prices are exact decimal texts, never floating-point numbers. Unknown members are refused,
 * so that a misspelt one is noticed when it is saved and not when it does not work.
 */

/** Bounds that keep one decision in microseconds and one document in memory small. */
export const DOCUMENT_LIMITS = Object.freeze({
  flags: 50,
  segments: 200,
  skus: 1000,
  offers: 200,
  /** Of one text. */
  locales: 60,
  /** Of one SKU. ISO 4217 knows about 180. */
  currencies: 180,
  assets: 20,
  badges: 5,
  ruleLength: 2000,
  /** Of all rules together, in units of at most about 100 ns. */
  ruleCost: 40_000,
  /** Over all offers together, each SKU of each: a decision goes through every one of them. */
  offeredSkus: 20_000,
});

const strict = { additionalProperties: false } as const;
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const FlagId = Type.String({ pattern: PATTERNS.flagId });
const SegmentId = Type.String({ pattern: PATTERNS.segmentId });
const OfferId = Type.String({ pattern: PATTERNS.offerId });
const SkuId = Type.String({ maxLength: 128, pattern: PATTERNS.printable });
const PromoId = Type.String({ maxLength: 128, pattern: PATTERNS.printable });
const Currency = Type.String({ pattern: PATTERNS.currency });
const Locale = Type.String({ pattern: PATTERNS.locale });
const Price = Type.String({ pattern: PATTERNS.price });
const PricePercent = Type.String({ pattern: PATTERNS.pricePercent });
/** A share of players is not money: a plain number will do. */
const SharePercent = Type.Number({ minimum: 0, maximum: 100 });
/** RFC 3339 with a zone, such as 2026-12-24T18:00:00Z. */
const Instant = Type.String({ maxLength: 40 });
/** A CEL expression over the attributes of `attributes.ts`. */
const Rule = Type.String({ minLength: 1, maxLength: DOCUMENT_LIMITS.ruleLength });

const Asset = Type.Object(
  {
    assetId: text(128),
    type: text(128),
    url: Type.String({ maxLength: 2048, pattern: PATTERNS.assetUrl }),
    tag: Type.Optional(Type.String({ maxLength: 128 })),
    locale: Type.Optional(Type.String({ maxLength: 35 })),
    platform: Type.Optional(Type.String({ maxLength: 64 })),
    width: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
    height: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
    sha256: Type.Optional(Type.String({ pattern: PATTERNS.sha256 })),
  },
  strict,
);

const IsPayer = Type.Object(
  {
    /** How long a payer stays one after the last purchase; null: for ever. */
    payerForDays: nullable(Type.Integer({ minimum: 1, maximum: 36_500 })),
  },
  strict,
);

const CustomFlag = Type.Object(
  {
    flagId: FlagId,
    name: text(200),
    /** When the flag is true, and else false. Null, or a rule that fails for a player, leaves it at its default. */
    rule: nullable(Rule),
    defaultValue: Type.Boolean(),
  },
  strict,
);

/** Those of `predict/artefact.ts`. */
const PredictionName = Type.Union([
  Type.Literal('churn'),
  Type.Literal('spend'),
  Type.Literal('purchases'),
  Type.Literal('revenue'),
  Type.Literal('revenue90'),
  Type.Literal('payerAlive'),
]);

/** Larger than what anybody spends in 90 days, in any currency. */
const Threshold = Type.Number({ minimum: 0, maximum: 1_000_000_000 });

const Thresholds = Type.Object(
  { prediction: PredictionName, enterAbove: Threshold, leaveBelow: Threshold },
  {
    ...strict,
    description:
      'Besides the rule: a player enters when the prediction is above enterAbove, and leaves when it is below leaveBelow. Between the two they stay where they are',
  },
);

const Segment = Type.Object(
  {
    segmentId: SegmentId,
    name: text(200),
    rule: Rule,
    /** So that a player at the edge does not come and go. Left out: the rule alone decides, anew each time. */
    thresholds: Type.Optional(Thresholds),
    visibleToClients: Type.Boolean(),
    /** Segments are listed from the highest priority to the lowest, equal ones in the order of the document. */
    priority: Type.Integer({ minimum: -1000, maximum: 1000 }),
  },
  strict,
);

const localised = (maxLength: number) =>
  Type.Object(
    {
      default: Type.String({ maxLength }),
      locales: Type.Record(Locale, Type.String({ maxLength }), {
        ...strict,
        maxProperties: DOCUMENT_LIMITS.locales,
      }),
    },
    strict,
  );

const SkuPrice = Type.Object(
  {
    actualPrice: Price,
    offerPrice: Price,
    /** No offer can go below it. */
    floorPrice: Type.Optional(Price),
  },
  strict,
);

const Sku = Type.Object(
  {
    skuId: SkuId,
    name: localised(200),
    description: localised(2000),
    prices: Type.Record(Currency, SkuPrice, {
      ...strict,
      minProperties: 1,
      maxProperties: DOCUMENT_LIMITS.currencies,
    }),
    /** For players whose currency is not known or has no price here. */
    defaultCurrency: Currency,
    assets: Type.Array(Asset, { maxItems: DOCUMENT_LIMITS.assets }),
    /** False takes the SKU out of every store; no offer can bring it back. */
    active: Type.Boolean(),
    /** True keeps the SKU out of the untargeted store: only players to whom an offer shows it see it. */
    hidden: Type.Optional(Type.Boolean()),
    from: nullable(Instant),
    until: nullable(Instant),
  },
  strict,
);

const SetPrice = Type.Object(
  {
    setTo: Type.Record(Currency, Price, {
      ...strict,
      minProperties: 1,
      maxProperties: DOCUMENT_LIMITS.currencies,
    }),
  },
  { ...strict, description: 'The offer price, per currency' },
);
const Discount = Type.Object(
  { discountPercent: PricePercent },
  { ...strict, description: 'Percent off the offer price' },
);

const Effect = Type.Object(
  {
    visibility: Type.Optional(Type.Union([Type.Literal('show'), Type.Literal('hide')])),
    price: Type.Optional(Type.Union([SetPrice, Discount])),
    /** Added to the assets of the SKU. */
    badges: Type.Optional(Type.Array(Asset, { minItems: 1, maxItems: DOCUMENT_LIMITS.badges })),
    promoId: Type.Optional(PromoId),
  },
  { ...strict, minProperties: 1 },
);

const Offer = Type.Object(
  {
    offerId: OfferId,
    name: text(200),
    /** Who gets it; null: everybody. */
    when: nullable(Rule),
    from: nullable(Instant),
    until: nullable(Instant),
    sharePercent: SharePercent,
    skus: Type.Union([
      Type.Literal('all'),
      Type.Array(SkuId, { minItems: 1, maxItems: DOCUMENT_LIMITS.skus }),
    ]),
    effect: Effect,
    /** Stops for a player after this many purchases with its promotion id. */
    limitPerPlayer: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    /**
     * Of the offers that are not marked, the first that matches wins a SKU. Those that are apply as well, in order, and
     * keep no other from applying.
     */
    combine: Type.Boolean(),
  },
  strict,
);

const StoreSettings = Type.Object(
  {
    /** Whether clients are sent the untargeted store as `fallbackConfig`, to keep for offline play. */
    sendFallback: Type.Boolean(),
    /** The share of players who always get the untargeted store, so that the value of targeting can be measured. */
    holdoutPercent: SharePercent,
    /** Off the actual price, whatever offers say. */
    largestDiscountPercent: PricePercent,
  },
  strict,
);

const PredictionNames = Type.Array(PredictionName, { maxItems: 20 });

const PredictionSettings = Type.Object(
  {
    /**
     * What a studio expects of a player is not sent to their device, unless the studio decides so: clients are told only
     * these.
     */
    visibleToClients: PredictionNames,
    /** These are averages with the state "off", for clients and for rules. */
    off: PredictionNames,
  },
  strict,
);

export const ConfigDocument = Type.Object(
  {
    flags: Type.Object(
      { isPayer: IsPayer, custom: Type.Array(CustomFlag, { maxItems: DOCUMENT_LIMITS.flags }) },
      strict,
    ),
    segments: Type.Array(Segment, { maxItems: DOCUMENT_LIMITS.segments }),
    catalogue: Type.Array(Sku, { maxItems: DOCUMENT_LIMITS.skus }),
    store: StoreSettings,
    offers: Type.Array(Offer, { maxItems: DOCUMENT_LIMITS.offers }),
    /** Left out: none is told to clients, none is off. */
    predictions: Type.Optional(PredictionSettings),
  },
  { ...strict, title: 'ConfigDocument' },
);

export type ConfigDocument = Static<typeof ConfigDocument>;
export type AssetEntry = Static<typeof Asset>;
export type CustomFlagEntry = Static<typeof CustomFlag>;
export type SegmentEntry = Static<typeof Segment>;
export type SkuEntry = Static<typeof Sku>;
export type SkuPriceEntry = Static<typeof SkuPrice>;
export type OfferEntry = Static<typeof Offer>;
export type LocalisedText = SkuEntry['name'];
export type PredictionSettings = Static<typeof PredictionSettings>;
