import { type Static, Type } from 'typebox';
import { Schedule } from '../../schedules/schedule.js';
import { DOCUMENT_LIMITS } from '../document-limits.js';
import { checkScheduleOf, listPart } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import {
  Asset,
  Currency,
  HoldoutPercent,
  Instant,
  nullable,
  Price,
  PricePercent,
  Rule,
  SharePercent,
  SkuId,
  strict,
  text,
} from '../member-schemas.js';
import { SKUS } from './catalogue.js';

const PromoId = Type.String({ maxLength: 128, pattern: PATTERNS.printable });

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
    offerId: Type.String({ pattern: PATTERNS.offerId }),
    name: text(200),
    /** Who gets it; null: everybody. */
    when: nullable(Rule),
    from: nullable(Instant),
    until: nullable(Instant),
    /** Within its beginning and end it is open in the windows of the schedule only. Left out: all the time. */
    schedule: Type.Optional(Schedule),
    sharePercent: SharePercent,
    /** Of the players whom it would apply to: who are kept out of it for good, to be compared with the others. Left out: nobody. */
    holdoutPercent: Type.Optional(HoldoutPercent),
    skus: Type.Union([Type.Literal('all'), Type.Array(SkuId, { minItems: 1, maxItems: SKUS.limit })]),
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

export type OfferEntry = Static<typeof Offer>;

export const OFFERS = listPart({
  name: 'offers',
  path: 'offers',
  noun: 'offer',
  title: 'Offers',
  idMember: 'offerId',
  limit: 200,
  entry: Offer,
  rulesOf: ({ when }) => (when === null ? [] : [{ member: 'when', expression: when }]),
  // An offer for no player changes nothing when it begins.
  timesOf: (entry) => (entry.sharePercent > 0 ? [entry] : []),
  check: checkScheduleOf,
});
