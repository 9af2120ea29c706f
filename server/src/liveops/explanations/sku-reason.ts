import type { PriceBasis } from '../../decide/compile/price-basis.js';
import type { SkuStep, SkuTrace } from '../../decide/decide/decision.js';
import type { SkuEntry } from '../../decide/document/parts/catalogue.js';
import type { Guardrail } from '../../decide/document/prices.js';
import { closedWindow, openWindow } from './reason-words.js';

/** Why a player sees a SKU at its price, or does not see it. The basis of the price is said where players are told it. */
export function skuReason(trace: SkuTrace, sku: SkuEntry | undefined, isBasisTold: boolean): string {
  const { skuId, isShown, absent, currency, offerPrice } = trace;
  switch (absent) {
    case 'inactive':
      return `${skuId} is not for sale: it is not active.`;
    case 'not_started':
      return `${skuId} is not for sale: it begins at ${sku?.from ?? 'a later time'}.`;
    case 'ended':
      return `${skuId} is not for sale: it ended at ${sku?.until ?? 'an earlier time'}.`;
    case 'closed':
      return `${skuId} is not for sale: its schedule is closed${closedWindow(trace.schedule)}.`;
    case null:
      return isShown
        ? `${skuId} costs ${offerPrice} ${currency}: ${[`${cataloguePart(trace)}${openWindow(trace.schedule)}`, ...trace.steps.map(stepPart), ...(isBasisTold ? basisPart(trace) : []), ...lowestPart(trace), ...promotionPart(trace)].join('; ')}.`
        : `${skuId} is not shown: ${[hiddenPart(trace), ...trace.steps.map(stepPart)].join('; ')}.`;
  }
}

function cataloguePart({ cataloguePrice, actualPrice, hidden }: SkuTrace): string {
  const reduced = cataloguePrice === actualPrice ? '' : `, reduced from ${actualPrice}`;
  return `catalogue ${cataloguePrice}${reduced}${hidden ? ', hidden there' : ''}`;
}

const BASES: Record<PriceBasis, string | null> = {
  list: null,
  scheduled: 'the price follows from time, country and platform',
  personal: 'the price is personal',
};

function basisPart({ priceBasis, priceNotice }: SkuTrace): string[] {
  const basis = priceBasis === null ? null : BASES[priceBasis];
  if (basis === null) return [];
  return [priceNotice === null ? basis : `${basis}, and the player is told: "${priceNotice}"`];
}

function lowestPart({ lowestPrice30d, currency }: SkuTrace): string[] {
  if (lowestPrice30d === null) return [];
  return [`the lowest price of the 30 days before was ${lowestPrice30d} ${currency}`];
}

function promotionPart({ promoId }: SkuTrace): string[] {
  return promoId === null ? [] : [`a purchase belongs to promotion ${promoId}`];
}

function hiddenPart({ hidden }: SkuTrace): string {
  return hidden ? 'hidden in the catalogue' : 'shown in the catalogue';
}

function stepPart({ offerId, applied, visibility, wantedPrice, rails, price }: SkuStep): string {
  const offer = `offer ${offerId}`;
  if (!applied) return `${offer} does not apply to it, because an earlier offer has won it`;
  const done = [
    ...(visibility === null ? [] : [visibility === 'show' ? 'shows it' : 'hides it']),
    ...(wantedPrice === null ? [] : [`asked for ${wantedPrice}${railPart(rails, price)}`]),
  ];
  return `${offer} ${done.length === 0 ? 'leaves the price' : done.join(' and ')}`;
}

const RAILS: Record<Guardrail, string> = {
  floor_price: 'the floor price',
  largest_discount: 'the largest discount',
  actual_price: 'the actual price',
};

function railPart(rails: readonly Guardrail[], price: string): string {
  if (rails.length === 0) return '';
  return `, kept at ${price} by ${rails.map((rail) => RAILS[rail]).join(' and ')}`;
}
