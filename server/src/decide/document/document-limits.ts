/** Bounds that keep one decision in microseconds and one document in memory small. Each part has the number of its entries itself. */
export const DOCUMENT_LIMITS = Object.freeze({
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
