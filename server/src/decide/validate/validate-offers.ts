import type { Suggest } from '../../platform/lib/nearest-name.js';
import type { Steps } from '../../platform/lib/steps.js';
import { DOCUMENT_LIMITS } from '../document/document-limits.js';
import type { SkuEntry } from '../document/parts/catalogue.js';
import type { OfferEntry } from '../document/parts/offers.js';
import { toBasisPoints } from '../document/prices.js';
import type { Entry, ProblemList } from './document-problems.js';
import { validateSchedule } from './validate-catalogue.js';
import { type PricedSku, pricedSku, SetPriceCheck } from './validate-set-prices.js';

export type OfferSurroundings = Readonly<{
  /** Those without a problem of their own. */
  skus: readonly SkuEntry[];
  /** Of all SKUs. */
  skuIds: ReadonlySet<string>;
  largestDiscount: bigint;
  suggest: Suggest;
}>;

/** Offers can do what they say: their SKUs exist, and no guardrail prevents the prices they name. */
export function* validateOffers(
  offers: readonly Entry<OfferEntry>[],
  surroundings: OfferSurroundings,
  problems: ProblemList,
): Steps<void> {
  const setPrices = new SetPriceCheck(yield* pricedSkus(offers, surroundings), problems);
  validateBreadth(offers, surroundings, problems);
  for (const { entry, pointer } of offers) {
    if (problems.isFull) return;
    validateSchedule(entry, pointer, problems);
    validateSkus(entry, pointer, surroundings, problems);
    validatePrice(entry, `${pointer}/effect/price`, surroundings, setPrices, problems);
    if (entry.limitPerPlayer !== null && entry.effect.promoId === undefined) {
      problems.add(
        `${pointer}/limitPerPlayer`,
        'Purchases are counted by promotion id: a limit needs a promotion id (effect.promoId).',
      );
    }
    yield;
  }
}

/** Of all SKUs, if some offer sets a price. */
function* pricedSkus(
  offers: readonly Entry<OfferEntry>[],
  { skus, largestDiscount }: OfferSurroundings,
): Steps<PricedSku[]> {
  const priced: PricedSku[] = [];
  if (!offers.some(({ entry: { effect } }) => effect.price !== undefined && 'setTo' in effect.price))
    return priced;
  for (const sku of skus) {
    priced.push(pricedSku(sku, largestDiscount));
    yield;
  }
  return priced;
}

function validateBreadth(
  offers: readonly Entry<OfferEntry>[],
  { skuIds }: OfferSurroundings,
  problems: ProblemList,
): void {
  let offered = 0;
  for (const { entry } of offers) offered += entry.skus === 'all' ? skuIds.size : entry.skus.length;
  if (offered <= DOCUMENT_LIMITS.offeredSkus) return;
  problems.add(
    '/offers',
    `All offers together are about ${offered} SKUs, and can be about ${DOCUMENT_LIMITS.offeredSkus} at most. Let fewer of them be about all SKUs.`,
  );
}

function validateSkus(
  { skus }: OfferEntry,
  pointer: string,
  { skuIds, suggest }: OfferSurroundings,
  problems: ProblemList,
): void {
  if (skus === 'all') return;
  const seen = new Set<string>();
  for (const [index, skuId] of skus.entries()) {
    if (problems.isFull) return;
    const at = `${pointer}/skus/${index}`;
    if (!skuIds.has(skuId)) problems.add(at, `There is no SKU "${skuId}".${suggest(skuId, skuIds)}`);
    if (seen.has(skuId)) problems.add(at, `"${skuId}" is in the list already.`);
    seen.add(skuId);
  }
}

function validatePrice(
  { effect: { price }, skus }: OfferEntry,
  pointer: string,
  { largestDiscount }: OfferSurroundings,
  setPrices: SetPriceCheck,
  problems: ProblemList,
): void {
  if (price === undefined) return;
  if ('setTo' in price) setPrices.validate(price.setTo, skus, `${pointer}/setTo`);
  else if (toBasisPoints(price.discountPercent) > largestDiscount) {
    problems.add(`${pointer}/discountPercent`, "The discount is above the game's largest.");
  }
}
