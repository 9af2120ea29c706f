import { currencyDecimals } from '../../lib/money.js';
import type { OfferEntry, SkuEntry } from './document.js';
import type { Entry, ProblemList } from './document-problems.js';
import { suggestion } from './nearest-name.js';
import { priceBook, railsInTheWay, toBasisPoints } from './prices.js';
import { validateAmount, validateSchedule } from './validate-catalogue.js';

export type OfferSurroundings = Readonly<{
  /** Those without a problem of their own. */
  skus: readonly SkuEntry[];
  /** Of all SKUs. */
  skuIds: ReadonlySet<string>;
  largestDiscount: bigint;
}>;

/** Offers mean what they say: their SKUs exist, and no rail would be in the way of the prices they name. */
export function validateOffers(
  offers: readonly Entry<OfferEntry>[],
  surroundings: OfferSurroundings,
  problems: ProblemList,
): void {
  problems.duplicates(offers, 'offerId', ({ offerId }) => offerId);
  for (const { entry, pointer } of offers) {
    validateSchedule(entry, pointer, problems);
    validateSkus(entry, pointer, surroundings, problems);
    validatePrices(entry, `${pointer}/effect/price`, surroundings, problems);
    if (entry.limitPerPlayer !== null && entry.effect.promoId === undefined) {
      problems.add(
        `${pointer}/limitPerPlayer`,
        'Purchases are counted by promotion id: a limit needs one in effect.promoId.',
      );
    }
  }
}

function validateSkus(
  { skus }: OfferEntry,
  pointer: string,
  { skuIds }: OfferSurroundings,
  problems: ProblemList,
): void {
  if (skus === 'all') return;
  const seen = new Set<string>();
  for (const [index, skuId] of skus.entries()) {
    const at = `${pointer}/skus/${index}`;
    if (!skuIds.has(skuId)) problems.add(at, `There is no SKU "${skuId}".${suggestion(skuId, skuIds)}`);
    if (seen.has(skuId)) problems.add(at, `"${skuId}" is in the list already.`);
    seen.add(skuId);
  }
}

function validatePrices(
  { effect: { price }, skus }: OfferEntry,
  pointer: string,
  { skus: catalogue, largestDiscount }: OfferSurroundings,
  problems: ProblemList,
): void {
  if (price === undefined) return;
  if ('discountPercent' in price) {
    if (toBasisPoints(price.discountPercent) > largestDiscount) {
      problems.add(`${pointer}/discountPercent`, "The discount is above the game's largest.");
    }
    return;
  }
  const targets = catalogue.filter(({ skuId }) => skus === 'all' || skus.includes(skuId));
  for (const [currency, amount] of Object.entries(price.setTo)) {
    const at = `${pointer}/setTo/${currency}`;
    const wanted = validateAmount(amount, currency, at, problems);
    if (wanted === undefined) continue;
    for (const sku of targets) validateSetPrice(sku, currency, wanted, largestDiscount, at, problems);
  }
  const missing = new Map(
    targets.flatMap(({ skuId, prices }) => Object.keys(prices).map((currency) => [currency, skuId])),
  );
  for (const [currency, skuId] of missing) {
    if (currencyDecimals(currency) === undefined || Object.hasOwn(price.setTo, currency)) continue;
    problems.add(`${pointer}/setTo`, `There is no price in ${currency}, in which "${skuId}" is sold.`);
  }
}

const IN_THE_WAY = {
  actual_price: 'above the actual price',
  floor_price: 'below the floor price',
  largest_discount: "below what the game's largest discount allows for the price",
};

function validateSetPrice(
  sku: SkuEntry,
  currency: string,
  wanted: bigint,
  largestDiscount: bigint,
  pointer: string,
  problems: ProblemList,
): void {
  const entry = Object.hasOwn(sku.prices, currency) ? sku.prices[currency] : undefined;
  const book = entry === undefined ? undefined : priceBook(currency, entry, largestDiscount);
  if (book === undefined) return;
  for (const rail of railsInTheWay(wanted, book)) {
    problems.add(pointer, `The price is ${IN_THE_WAY[rail]} of "${sku.skuId}".`);
  }
}
