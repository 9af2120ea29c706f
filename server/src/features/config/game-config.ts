import { type Static, Type } from 'typebox';

/** What a studio publishes for a game: the document of a configuration version. Prices are exact decimal texts. */
const Asset = Type.Object({
  assetId: Type.String({ minLength: 1 }),
  type: Type.String({ minLength: 1 }),
  url: Type.String({ minLength: 1 }),
  tag: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  platform: Type.Optional(Type.String()),
  width: Type.Optional(Type.Integer({ minimum: 0 })),
  height: Type.Optional(Type.Integer({ minimum: 0 })),
  sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
});

const Price = Type.String({ pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$' });

const CatalogueSku = Type.Object({
  skuId: Type.String({ minLength: 1, maxLength: 128 }),
  name: Type.String(),
  description: Type.String(),
  actualPrice: Price,
  offerPrice: Price,
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  assets: Type.Array(Asset),
  active: Type.Boolean(),
});

export const GameDocument = Type.Object({
  flags: Type.Object({
    isPayer: Type.Object({
      /** How long a payer stays one after the last purchase; null: for ever. */
      payerForDays: Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()]),
    }),
  }),
  store: Type.Object({
    /** Whether clients are sent the untargeted store as `fallbackConfig`, to keep for offline play. */
    sendFallback: Type.Boolean(),
    skus: Type.Array(CatalogueSku),
  }),
});

export type CatalogueSku = Static<typeof CatalogueSku>;
export type GameDocument = Static<typeof GameDocument>;

export type GameConfig = Readonly<GameDocument & { version: number; publishedAt: number }>;

/** What a game has before anything is published: nobody expires, nothing is for sale. */
export const EMPTY_GAME_CONFIG: GameConfig = Object.freeze({
  version: 0,
  publishedAt: 0,
  flags: { isPayer: { payerForDays: null } },
  store: { sendFallback: false, skus: [] },
});
