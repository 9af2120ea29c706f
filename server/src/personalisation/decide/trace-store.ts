import type { CompiledSku } from '../compile/compiled-document.js';
import { noteOf, type PriceNote } from '../compile/price-basis.js';
import { formatMinorUnits } from '../document/prices.js';
import { type AvailableSku, countryOf } from './available-skus.js';
import type { SkuTrace } from './decision.js';
import type { DecisionContext } from './decision-context.js';
import { promotionOf, type SkuChange } from './sku-change.js';

/** Records for every SKU of the catalogue whether the player sees it, at which price, and why. */
export function traceSkus(
  { document, facts, now, trace }: DecisionContext,
  availableSkus: readonly (AvailableSku | null)[],
  changes: readonly (SkuChange | undefined)[],
): void {
  if (trace === null) return;
  trace.skus = [
    ...document.skus.map((sku, index) => {
      const item = availableSkus[index];
      if (item == null) return absent(sku, now);
      const change = changes[index];
      const note = noteOf(document.pricing, change?.basis ?? 'list', countryOf(facts));
      return traceItem(item, change, note);
    }),
    ...document.inactiveSkuIds.map((skuId) => missing(skuId, 'inactive', false)),
  ];
}

/** Offers were not evaluated: they do not apply to a player in the holdout. */
export function traceHeldOut({ document, trace }: DecisionContext): void {
  if (trace === null) return;
  trace.offers = document.offers.map(({ offerId, sharePercent }) => ({
    offerId,
    outcome: 'held_out',
    sharePercent,
    place: null,
    purchases: null,
    schedule: null,
    rule: null,
  }));
}

function traceItem(
  { sku, text, skuPrice }: AvailableSku,
  change: SkuChange | undefined,
  note: PriceNote | null,
): SkuTrace {
  return {
    skuId: sku.skuId,
    isShown: change?.isVisible ?? !sku.hidden,
    absent: null,
    hidden: sku.hidden,
    locale: text.locale,
    currency: skuPrice.currency,
    actualPrice: skuPrice.actualText,
    cataloguePrice: skuPrice.offerText,
    offerPrice: formatMinorUnits(change?.price ?? skuPrice.offer, skuPrice.decimals),
    priceBasis: change?.basis ?? 'list',
    priceNotice: note?.members.priceNotice ?? null,
    promoId: (change && promotionOf(change))?.promoId ?? null,
    steps: change?.steps ?? [],
  };
}

function absent({ skuId, from, hidden }: CompiledSku, now: number): SkuTrace {
  return missing(skuId, now < from ? 'not_started' : 'ended', hidden);
}

function missing(skuId: string, reason: SkuTrace['absent'], hidden: boolean): SkuTrace {
  return {
    skuId,
    isShown: false,
    absent: reason,
    hidden,
    locale: null,
    currency: null,
    actualPrice: null,
    cataloguePrice: null,
    offerPrice: null,
    priceBasis: null,
    priceNotice: null,
    promoId: null,
    steps: [],
  };
}
