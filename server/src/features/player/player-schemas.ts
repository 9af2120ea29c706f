import { Type } from 'typebox';

const StatusFlag = Type.Object(
  {
    value: Type.Boolean({ description: 'Current value' }),
    defaultValue: Type.Boolean({ description: 'Value applying by default, and once expiredAt has passed' }),
    expiredAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Expiry of the flag, ISO 8601 UTC; null when it does not expire',
    }),
  },
  { examples: [{ value: true, defaultValue: false, expiredAt: null }] },
);

export const PlayerStatus = Type.Object({ isPayer: StatusFlag });

const Asset = Type.Object({
  assetId: Type.String(),
  type: Type.String(),
  url: Type.String(),
  tag: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  platform: Type.Optional(Type.String()),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  sha256: Type.Optional(Type.String()),
});

const Sku = Type.Object({
  skuId: Type.String(),
  name: Type.String(),
  description: Type.String(),
  actualPrice: Type.Number({ description: "List price, with the currency's own number of decimals" }),
  offerPrice: Type.Number({ description: 'Price on offer' }),
  currency: Type.String({ description: 'ISO 4217' }),
  assets: Type.Array(Asset),
  active: Type.Boolean(),
});

const FallbackConfig = Type.Object({
  version: Type.Integer(),
  activeSkus: Type.Array(Sku),
  lastUpdatedTimestamp: Type.Integer(),
});

export const StoreConfig = Type.Object({
  activeSkus: Type.Array(Sku, { description: "Active SKUs in the studio's order" }),
  lastUpdatedTimestamp: Type.Integer({
    description: 'Epoch milliseconds of the last change this player can see',
  }),
  userSpecificPromoId: Type.Union([Type.String(), Type.Null()]),
  fallbackConfig: Type.Union([FallbackConfig, Type.Null()], {
    description: "The studio's untargeted store, to keep for offline play",
  }),
});

export const PlayerConfig = Type.Object({ playerStatus: PlayerStatus, storeConfig: StoreConfig });

export const PlayerSegments = Type.Object({
  playerId: Type.String(),
  asOf: Type.String({ format: 'date-time' }),
  segments: Type.Array(
    Type.Object({ segmentId: Type.String(), name: Type.String(), version: Type.Integer() }),
  ),
});
