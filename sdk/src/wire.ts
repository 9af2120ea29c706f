/**
 * A flag of the player. Once `expiredAt` has passed, the client gives `defaultValue` as `value`, also offline.
 *
 * @example
 * ```ts
 * const flag: Flag = { value: true, defaultValue: false, expiredAt: null };
 * ```
 */
export type Flag = { value: boolean; defaultValue: boolean; expiredAt: string | null };

/**
 * Who the player is to the studio: `isPayer`, and the flags that the studio has defined.
 *
 * @example
 * ```ts
 * const status: PlayerStatus = await savepoint.player.status();
 * if (!status.isPayer.value) showBanner();
 * ```
 */
export type PlayerStatus = { isPayer: Flag; [flag: string]: Flag };

/**
 * A picture or file of a SKU.
 *
 * @example
 * ```ts
 * const icon: Asset | undefined = sku.assets.find(({ tag }) => tag === 'icon');
 * ```
 */
export type Asset = {
  assetId: string;
  type: string;
  url: string;
  tag?: string;
  locale?: string;
  platform?: string;
  width?: number;
  height?: number;
  sha256?: string;
};

/**
 * With this code a player who has removed the game can ask for erasure, on the page at `url`.
 *
 * @example
 * ```ts
 * const { code, url }: ErasureCode = await savepoint.player.erasureCode();
 * showPrivacy(`To delete your data without the game, enter ${code} at ${url}`);
 * ```
 */
export type ErasureCode = {
  /** Twelve letters: `BCDF-GHJK-LMNP`. */
  code: string;
  expiresAt: string;
  url: string;
};

/**
 * The proof of a purchase, as the store gives it to the game: `jwsRepresentation` of StoreKit 2, or `originalJson` and `signature` of Play Billing.
 *
 * @example
 * ```ts
 * const receipt: Receipt = { store: 'google', purchaseData: purchase.originalJson, signature: purchase.signature };
 * ```
 */
export type Receipt =
  | { store: 'apple'; signedTransaction: string }
  | { store: 'google'; purchaseData: string; signature: string };

/**
 * Something to buy. Its `promoId`, where it has one, goes into the payload of the `Purchase`.
 *
 * @example
 * ```ts
 * const { activeSkus } = await savepoint.player.store();
 * const cheapest: Sku | undefined = activeSkus.toSorted((a, b) => a.offerPrice - b.offerPrice)[0];
 * ```
 */
export type Sku = {
  skuId: string;
  name: string;
  description: string;
  actualPrice: number;
  offerPrice: number;
  currency: string;
  assets: Asset[];
  active: boolean;
  promoId?: string;
  /** What `offerPrice` follows from, where the game tells: the catalogue; time, country and platform; or the player. */
  priceBasis?: 'list' | 'scheduled' | 'personal';
  /** To be shown beside a personal price. */
  priceNotice?: string;
};

/**
 * The studio's store without targeting, for offline play.
 *
 * @example
 * ```ts
 * const fallback: FallbackConfig = { version: 7, activeSkus: [], lastUpdatedTimestamp: 1794744000000 };
 * ```
 */
export type FallbackConfig = { version: number; activeSkus: Sku[]; lastUpdatedTimestamp: number };

/**
 * What is on offer to the player.
 *
 * @example
 * ```ts
 * const store: StoreConfig = await savepoint.player.store();
 * for (const { name, offerPrice, currency } of store.activeSkus) addRow(name, offerPrice, currency);
 * ```
 */
export type StoreConfig = {
  activeSkus: Sku[];
  lastUpdatedTimestamp: number;
  userSpecificPromoId: string | null;
  fallbackConfig: FallbackConfig | null;
};

/**
 * The segments that the player is in.
 *
 * @example
 * ```ts
 * const { segments }: PlayerSegments = await savepoint.player.segments();
 * const isNew = segments.some(({ segmentId }) => segmentId === 'new_player');
 * ```
 */
export type PlayerSegments = {
  playerId: string;
  asOf: string;
  segments: { segmentId: string; name: string; version: number }[];
};

/**
 * One prediction. Once `expiredAt` has passed, the client gives `defaultValue` as `value`, `degraded` as `state`, and null as `band` and
 * `percentile`, also offline.
 *
 * @example
 * ```ts
 * const churn: Prediction | undefined = (await savepoint.player.predictions()).predictions.churn;
 * if (churn?.state === 'ready' && churn.value > 0.7) offerHelp();
 * ```
 */
export type Prediction = {
  value: number;
  defaultValue: number;
  expiredAt: string | null;
  unit: string;
  horizonDays: number | null;
  percentile: number | null;
  band: string | null;
  state: 'ready' | 'cold_start' | 'degraded' | 'off';
  model: string | null;
};

/**
 * What the service expects of the player.
 *
 * @example
 * ```ts
 * const { predictions }: PlayerPredictions = await savepoint.player.predictions();
 * ```
 */
export type PlayerPredictions = {
  playerId: string;
  asOf: string;
  predictions: Record<string, Prediction>;
  models: Record<string, unknown>;
};

/**
 * The game's typed values for the player, by key, and the experiments that the player is in.
 *
 * @example
 * ```ts
 * const { values }: PlayerValues = await savepoint.player.values();
 * ```
 */
export type PlayerValues = {
  playerId: string;
  asOf: string;
  values: Record<string, unknown>;
  experiments: { experimentId: string; variantId: string }[];
};

/**
 * All that the service returns about a player, by the name of the method that reads it.
 *
 * @example
 * ```ts
 * const fallback: Partial<PlayerData> = { status: { isPayer: { value: false, defaultValue: false, expiredAt: null } } };
 * ```
 */
export type PlayerData = {
  status: PlayerStatus;
  store: StoreConfig;
  segments: PlayerSegments;
  predictions: PlayerPredictions;
  values: PlayerValues;
};

/**
 * A signed login, as `signLogin` of `@savepoint/client/server` makes it.
 *
 * @example
 * ```ts
 * const login: SignedLogin = await (await fetch('/sign', { method: 'POST', body: JSON.stringify({ deviceId }) })).json();
 * ```
 */
export type SignedLogin = { apiKey: string; deviceId: string; timestamp: string; signature: string };

/**
 * Who is logged in.
 *
 * @example
 * ```ts
 * const { userId }: Identity = await savepoint.login();
 * ```
 */
export type Identity = { userId: string; deviceId: string; gameId: string; tenantId: string };

/** The response of login and refresh. */
export type Grant = Identity & {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  playerConfig?: {
    playerStatus?: PlayerStatus;
    storeConfig?: StoreConfig;
    values?: PlayerValues['values'];
  };
};

/** Payloads of the types that the service knows. Any other type takes any object. */
export type BuiltInEvents = {
  Ad_Impression: { userId?: string; sessionId?: string; adId?: string; campaignId?: string };
  Session_Start: { sessionId?: string };
  Session_End: { sessionId?: string; durationMs?: number };
  Purchase: {
    transactionId?: string;
    skuId?: string;
    price?: number | string;
    currency?: string;
    promoId?: string;
    receipt?: Receipt;
  };
  Refund: { transactionId: string };
};
