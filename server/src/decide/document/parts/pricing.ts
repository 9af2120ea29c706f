import { type Static, Type } from 'typebox';
import type { ObjectPart } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import { nullable, PricePercent, strict, text } from '../member-schemas.js';

/** The key of the notice for all other countries, and for players whose country is not known. */
export const OTHER_COUNTRIES = '*';

/** How honest a game is about prices. A document with this part tells players the basis of each price (ADR 0050). */
export const PricingSettings = Type.Object(
  {
    /** Country (or `*`: all others) → the text that is sent with personal prices. */
    notices: Type.Record(Type.String({ pattern: PATTERNS.countryOrOther }), text(1000), {
      ...strict,
      maxProperties: 250,
    }),
    /** Attributes that no rule about a price may read, not even through a segment or a flag. */
    forbiddenAttributes: Type.Array(text(64), { maxItems: 100 }),
    /** How far, in percent of the higher one, two prices of a SKU may lie apart in one country at one time. Null: any. */
    largestSpreadPercent: nullable(PricePercent),
    /** Countries (or `*`: all) whose players are told the lowest price of the 30 days before a reduction (ADR 0058). */
    lowestPriceCountries: Type.Optional(
      Type.Array(Type.String({ pattern: PATTERNS.countryOrOther }), { maxItems: 250 }),
    ),
  },
  strict,
);

export type PricingSettings = Static<typeof PricingSettings>;

export const PRICING_SETTINGS: ObjectPart = { kind: 'object', path: 'pricing', defaultValue: null };
