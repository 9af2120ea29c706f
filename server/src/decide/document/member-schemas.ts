import { type Static, type TSchema, Type } from 'typebox';
import { DOCUMENT_LIMITS } from './document-limits.js';
import { PATTERNS } from './document-patterns.js';

/** Schemas of members that several parts of a document have. */

/** Unknown members are refused, so that a misspelt one is noticed when it is saved and not when it does not work. */
export const strict = { additionalProperties: false } as const;
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

export const SkuId = Type.String({ maxLength: 128, pattern: PATTERNS.printable });
export const Currency = Type.String({ pattern: PATTERNS.currency });
/** Prices and percentages of prices are exact decimal texts, never floating-point numbers. */
export const Price = Type.String({ pattern: PATTERNS.price });
export const PricePercent = Type.String({ pattern: PATTERNS.pricePercent });
/** A share of players is not money: a plain number will do. */
export const SharePercent = Type.Number({ minimum: 0, maximum: 100 });
/** Somebody must be left to be compared with. */
export const HoldoutPercent = Type.Number({ minimum: 0, maximum: 99 });
/** RFC 3339 with a zone, such as 2026-12-24T18:00:00Z. */
export const Instant = Type.String({ maxLength: 40 });
/** A CEL expression over the attributes of `attributes.ts`. */
export const Rule = Type.String({ minLength: 1, maxLength: DOCUMENT_LIMITS.ruleLength });

export const Asset = Type.Object(
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

export type AssetEntry = Static<typeof Asset>;
