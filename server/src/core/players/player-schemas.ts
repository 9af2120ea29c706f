import { Type } from 'typebox';

export const STATUS_EXAMPLE = { isPayer: { value: true, defaultValue: false, expiredAt: null } };

const STARTER_PACK = {
  skuId: 'starter_pack',
  name: 'Starter Pack',
  description: '500 gems, 3 rare heroes and a week without ads.',
  actualPrice: 9.99,
  offerPrice: 4.99,
  currency: 'USD',
  assets: [
    {
      assetId: 'starter-pack-icon',
      type: 'image/png',
      url: 'https://cdn.example.com/demo-game/starter-pack.png',
      tag: 'icon',
      width: 256,
      height: 256,
    },
  ],
  active: true,
};

export const STORE_EXAMPLE = {
  activeSkus: [{ ...STARTER_PACK, offerPrice: 3.99, promoId: 'welcome-back' }],
  lastUpdatedTimestamp: 1_794_744_000_000,
  userSpecificPromoId: 'welcome-back',
  fallbackConfig: { version: 7, activeSkus: [STARTER_PACK], lastUpdatedTimestamp: 1_794_744_000_000 },
};

const StatusFlag = Type.Object(
  {
    value: Type.Boolean({ description: 'Current value' }),
    defaultValue: Type.Boolean({ description: 'Value applying by default, and once expiredAt has passed' }),
    expiredAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Expiry of the flag, ISO 8601 UTC; null when it does not expire',
    }),
  },
  { title: 'StatusFlag' },
);

export const PlayerStatus = Type.Object(
  { isPayer: StatusFlag },
  {
    title: 'PlayerStatus',
    description: 'Who the player is to the studio: isPayer, and the flags that the studio has defined.',
    additionalProperties: StatusFlag,
    examples: [STATUS_EXAMPLE],
  },
);

const Asset = Type.Object(
  {
    assetId: Type.String(),
    type: Type.String({ description: 'Media type' }),
    url: Type.String(),
    tag: Type.Optional(Type.String({ description: "The studio's own label, such as icon or banner" })),
    locale: Type.Optional(Type.String()),
    platform: Type.Optional(Type.String()),
    width: Type.Optional(Type.Integer({ description: 'Pixels' })),
    height: Type.Optional(Type.Integer({ description: 'Pixels' })),
    sha256: Type.Optional(Type.String({ description: 'Of the file, in hex' })),
  },
  { title: 'Asset' },
);

const Sku = Type.Object(
  {
    skuId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    actualPrice: Type.Number({
      description: "List price: an exact decimal with the currency's own number of decimals",
    }),
    offerPrice: Type.Number({ description: 'Price on offer' }),
    currency: Type.String({ description: 'ISO 4217' }),
    assets: Type.Array(Asset, { description: 'May be empty' }),
    active: Type.Boolean(),
    promoId: Type.Optional(
      Type.String({
        description:
          'The promotion that applies to this SKU; absent where none does. A Purchase of the SKU names it in payload.promoId.',
      }),
    ),
    priceBasis: Type.Optional(
      Type.Union([Type.Literal('list'), Type.Literal('scheduled'), Type.Literal('personal')], {
        description:
          'What offerPrice follows from: the catalogue; time, country and platform; or anything else about the player. Only in games whose document has pricing.',
      }),
    ),
    priceNotice: Type.Optional(
      Type.String({
        description: "The studio's text for the player's country, to be shown beside a personal price.",
      }),
    ),
    lowestPrice30d: Type.Optional(
      Type.Number({
        description:
          'The lowest price that the player could have been shown in the 30 days before the present reduction began. A price that is not below it is no reduction. Only in countries that the game has switched it on for, and where a reduction began.',
      }),
    ),
  },
  { title: 'Sku' },
);

const FallbackConfig = Type.Object(
  {
    version: Type.Integer({ description: 'Published version of the configuration' }),
    activeSkus: Type.Array(Sku),
    lastUpdatedTimestamp: Type.Integer({ description: 'Epoch milliseconds' }),
  },
  { title: 'FallbackConfig' },
);

export const StoreConfig = Type.Object(
  {
    activeSkus: Type.Array(Sku, { description: "Active SKUs in the studio's order" }),
    lastUpdatedTimestamp: Type.Integer({
      description: 'Epoch milliseconds of the last change this player can see',
    }),
    userSpecificPromoId: Type.Union([Type.String(), Type.Null()], {
      description:
        'The first of the promotions this player is in; null when there is none. Its effect is already in the prices. Each SKU says its own in promoId.',
    }),
    fallbackConfig: Type.Union([FallbackConfig, Type.Null()], {
      description: "The studio's untargeted store, to keep for offline play",
    }),
  },
  { title: 'StoreConfig', description: 'What is on offer to the player.', examples: [STORE_EXAMPLE] },
);

const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: 'By key. Each has the type that the studio has defined for the key.',
});

export const PlayerConfig = Type.Object(
  { playerStatus: PlayerStatus, storeConfig: StoreConfig, values: Type.Optional(Values) },
  {
    title: 'PlayerConfig',
    description:
      'Status and store, as their own endpoints return them; and the values, where the game defines any.',
  },
);

export const PlayerValues = Type.Object(
  {
    playerId: Type.String(),
    asOf: Type.String({ format: 'date-time', description: 'The moment this was worked out' }),
    values: Values,
    experiments: Type.Array(
      Type.Object({ experimentId: Type.String(), variantId: Type.String() }, { title: 'ExperimentVariant' }),
      {
        description:
          'The running experiments that the responses to the player depend on, with the variant of the player',
      },
    ),
  },
  {
    title: 'PlayerValues',
    description: "The game's typed values for the player.",
    examples: [
      {
        playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
        asOf: '2026-11-15T12:00:00.000Z',
        values: { jump_height: 3, tutorial: 'short' },
        experiments: [{ experimentId: 'price_test', variantId: 'b' }],
      },
    ],
  },
);

export const PlayerSegments = Type.Object(
  {
    playerId: Type.String(),
    asOf: Type.String({ format: 'date-time', description: 'The moment this was worked out' }),
    segments: Type.Array(
      Type.Object(
        {
          segmentId: Type.String(),
          name: Type.String(),
          version: Type.Integer({ description: 'Goes up when the studio changes what the segment means' }),
        },
        { title: 'Segment' },
      ),
    ),
  },
  {
    title: 'PlayerSegments',
    description: 'The segments the player is in.',
    examples: [
      {
        playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
        asOf: '2026-11-15T12:00:00.000Z',
        segments: [
          { segmentId: 'new_player', name: 'New player', version: 1 },
          { segmentId: 'payer', name: 'Payer', version: 1 },
        ],
      },
    ],
  },
);
