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
