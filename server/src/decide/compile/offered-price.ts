import { discounted, type SkuPrice, withinGuardrails } from '../document/prices.js';
import type { CompiledOffer, CompiledSku } from './compiled-document.js';

/** Null if the offer does not change the price, or names none in this currency. */
export function wantedPrice(
  { setTo, discount }: Pick<CompiledOffer, 'setTo' | 'discount'>,
  { currency }: SkuPrice,
  price: bigint,
): bigint | null {
  if (discount !== null) return discounted(price, discount);
  return setTo?.get(currency) ?? null;
}

/** A price after an offer has applied to it. */
export function priceAfter(offer: CompiledOffer, skuPrice: SkuPrice, price: bigint): bigint {
  const wanted = wantedPrice(offer, skuPrice, price);
  return wanted === null ? price : withinGuardrails(wanted, skuPrice);
}

/**
 * The price that offers give a SKU, one after the other; null if no player sees the SKU. That is what `applyOffer` comes to. The search for
 * price raises and the history of prices ask for thousands of prices, and need nothing else of a response.
 */
export function offeredPrice(
  offers: readonly CompiledOffer[],
  { hidden }: Pick<CompiledSku, 'hidden'>,
  skuPrice: SkuPrice,
): bigint | null {
  let price = skuPrice.offer;
  let isVisible = !hidden;
  let isTaken = false;
  for (const offer of offers) {
    if (isTaken && !offer.combine) continue;
    isTaken ||= !offer.combine;
    if (offer.visibility !== null) isVisible = offer.visibility === 'show';
    price = priceAfter(offer, skuPrice, price);
  }
  return isVisible ? price : null;
}
