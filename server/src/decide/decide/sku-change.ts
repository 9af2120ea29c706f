import type { CompiledOffer } from '../compile/compiled-document.js';
import { wantedPrice } from '../compile/offered-price.js';
import { isPersonal, type PriceBasis } from '../compile/price-basis.js';
import { formatMinorUnits, guardrailsInTheWay, withinGuardrails } from '../document/prices.js';
import type { AvailableSku } from './available-skus.js';
import type { SkuStep } from './decision.js';

/** What offers have done to a SKU so far. */
export type SkuChange = {
  price: bigint;
  isVisible: boolean;
  /** One of the offers that do not combine has won it. */
  isTaken: boolean;
  /** The offers whose badges it wears. */
  badged: CompiledOffer[];
  /** The first offer with a promotion id. */
  promoted: CompiledOffer | null;
  /** The first one with a promotion id of those that make up the price. */
  pricePromoted: CompiledOffer | null;
  /** Only kept for an explanation. */
  steps: SkuStep[];
  /** What the price follows from. */
  basis: PriceBasis;
  /** Of the offer that has won it. */
  winnerBasis: PriceBasis;
};

/**
 * Applies an offer to a SKU, within the guardrails. Of the offers that do not combine, the first one wins the SKU; those that
 * combine apply as well. Discounts are applied one after the other.
 */
export function applyOffer(
  offer: CompiledOffer,
  item: AvailableSku,
  before: SkuChange | undefined,
  isTraced: boolean,
  basis: PriceBasis = isPersonal(offer) ? 'personal' : 'scheduled',
): SkuChange {
  const { sku, skuPrice } = item;
  const change = before ?? {
    price: skuPrice.offer,
    isVisible: !sku.hidden,
    isTaken: false,
    badged: [],
    promoted: null,
    pricePromoted: null,
    steps: [],
    basis: 'list',
    winnerBasis: 'list',
  };
  if (change.isTaken && !offer.combine) {
    // The winner keeps this price away, so the price follows from who gets the winner.
    if (wantedPrice(offer, skuPrice, change.price) !== null)
      change.basis = wider(change.basis, change.winnerBasis);
    if (isTraced) change.steps.push(stepOf(offer, item, change, false, null));
    return change;
  }
  if (!offer.combine) {
    change.isTaken = true;
    change.winnerBasis = basis;
  }
  if (offer.visibility !== null) change.isVisible = offer.visibility === 'show';
  if (offer.badges.length > 0) change.badged.push(offer);
  if (offer.promoId !== null) change.promoted ??= offer;

  const wanted = wantedPrice(offer, skuPrice, change.price);
  if (wanted !== null) {
    change.price = withinGuardrails(wanted, skuPrice);
    // A set price replaces all before it; a discount is applied on top of them.
    if (offer.setTo !== null) change.pricePromoted = null;
    change.basis = offer.setTo === null ? wider(change.basis, basis) : basis;
    if (offer.promoId !== null) change.pricePromoted ??= offer;
  }
  if (isTraced) change.steps.push(stepOf(offer, item, change, true, wanted));
  return change;
}

/** Of a price that follows from both. */
function wider(one: PriceBasis, other: PriceBasis): PriceBasis {
  if (one === 'personal' || other === 'personal') return 'personal';
  return one === 'list' ? other : one;
}

/**
 * The offer whose promotion a purchase of the SKU belongs to. A promotion that sets or lowers the price takes precedence over
 * one that only shows or marks the SKU: its limit keeps the price from being used too often.
 */
export function promotionOf({ pricePromoted, promoted }: SkuChange): CompiledOffer | null {
  return pricePromoted ?? promoted;
}

function stepOf(
  { offerId, visibility, promoId }: CompiledOffer,
  { skuPrice }: AvailableSku,
  { price }: SkuChange,
  applied: boolean,
  wanted: bigint | null,
): SkuStep {
  return {
    offerId,
    applied,
    visibility,
    promoId,
    wantedPrice: wanted === null ? null : formatMinorUnits(wanted, skuPrice.decimals),
    rails: wanted === null ? [] : guardrailsInTheWay(wanted, skuPrice),
    price: formatMinorUnits(price, skuPrice.decimals),
  };
}
