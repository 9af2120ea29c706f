/** What a game says about stores; see `game_stores` in the schema. */
export type StoreSettings = Readonly<{
  /** Null: receipts of this store are not accepted. */
  apple: Readonly<{ bundleIds: readonly string[] }> | null;
  google: GoogleSettings | null;
  /** Which purchases count for isPayer, spend and offers. Holds for what is received after a change. */
  counts: 'everything' | 'verified';
  /** The largest believable price of an unverified purchase, by currency. Any price is believed in the others. */
  maxPrices: Readonly<Record<string, string>>;
  /** User ids of players whose sandbox purchases count, without a price. */
  testers: readonly string[];
}>;

export type GoogleSettings = Readonly<{
  packageName: string;
  /** The licence key of the app, in Base64. */
  publicKey: string;
  /** Whom the tokens of notifications must be for and from. Null: notifications are refused. */
  push: Readonly<{ audience: string; account: string }> | null;
}>;

/** Of a game that has never set anything. */
export const NO_STORES: StoreSettings = Object.freeze({
  apple: null,
  google: null,
  counts: 'everything',
  maxPrices: {},
  testers: [],
});
