import { type Static, Type } from 'typebox';
import { Schedule } from '../../schedules/schedule.js';
import { DOCUMENT_LIMITS } from '../document-limits.js';
import { checkScheduleOf, listPart } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import { Asset, Currency, Instant, nullable, Price, SkuId, strict } from '../member-schemas.js';

const Locale = Type.String({ pattern: PATTERNS.locale });

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
    /** Within its beginning and end it is sold in the windows of the schedule only. Left out: all the time. */
    schedule: Type.Optional(Schedule),
  },
  strict,
);

export type SkuEntry = Static<typeof Sku>;
export type SkuPriceEntry = Static<typeof SkuPrice>;
export type LocalisedText = SkuEntry['name'];

export const SKUS = listPart({
  name: 'skus',
  path: 'catalogue',
  noun: 'SKU',
  title: 'SKUs',
  idMember: 'skuId',
  limit: 1000,
  entry: Sku,
  // A SKU that is always sold would only hide the others.
  timesOf: (entry) =>
    entry.active && (entry.from !== null || entry.until !== null || entry.schedule !== undefined)
      ? [entry]
      : [],
  check: checkScheduleOf,
});
