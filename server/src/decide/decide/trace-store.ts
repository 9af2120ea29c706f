import type { Steps } from '../../platform/lib/steps.js';
import type { CompiledSku } from '../compile/compiled-document.js';
import { noteOf, type PriceNote } from '../compile/price-basis.js';
import { formatMinorUnits } from '../document/prices.js';
import { type AvailableSku, countryOf } from './available-skus.js';
import type { ScheduleTrace, SkuTrace } from './decision.js';
import type { DecisionContext } from './decision-context.js';
import { lowestPrices } from './lowest-price.js';
import { promotionOf, type SkuChange } from './sku-change.js';
import { traceSchedule } from './trace-schedule.js';

/** Records for every SKU of the catalogue whether the player sees it, at which price, and why. */
export function* traceSkus(
  context: DecisionContext,
  availableSkus: readonly (AvailableSku | null)[],
  changes: readonly (SkuChange | undefined)[],
): Steps<void> {
  const { document, facts, trace } = context;
  if (trace === null) return;
  const lowestOf = lowestPrices(context);
  const traced: SkuTrace[] = [];
  for (const [index, sku] of document.skus.entries()) {
    const item = availableSkus[index];
    if (item == null) {
      traced.push(absent(context, sku));
      continue;
    }
    const change = changes[index];
    const note = noteOf(document.pricing, change?.basis ?? 'list', countryOf(facts));
    const lowestPrice30d = lowestOf === undefined ? null : yield* lowestOf(item, change);
    traced.push({ ...traceItem(item, change, note), schedule: scheduleOf(context, sku), lowestPrice30d });
  }
  trace.skus = [...traced, ...document.inactiveSkuIds.map((skuId) => missing(skuId, 'inactive', false))];
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
    schedule: null,
    hidden: sku.hidden,
    locale: text.locale,
    currency: skuPrice.currency,
    actualPrice: skuPrice.actualText,
    cataloguePrice: skuPrice.offerText,
    offerPrice: formatMinorUnits(change?.price ?? skuPrice.offer, skuPrice.decimals),
    priceBasis: change?.basis ?? 'list',
    priceNotice: note?.members.priceNotice ?? null,
    lowestPrice30d: null,
    promoId: (change && promotionOf(change))?.promoId ?? null,
    steps: change?.steps ?? [],
  };
}

function absent(context: DecisionContext, sku: CompiledSku): SkuTrace {
  const { skuId, from, until, hidden } = sku;
  if (context.now < from) return missing(skuId, 'not_started', hidden);
  if (context.now >= until) return missing(skuId, 'ended', hidden);
  return { ...missing(skuId, 'closed', hidden), schedule: scheduleOf(context, sku) };
}

function scheduleOf(context: DecisionContext, { schedule }: CompiledSku): ScheduleTrace | null {
  return schedule && traceSchedule(context, schedule, context.stateOf(schedule));
}

function missing(skuId: string, reason: SkuTrace['absent'], hidden: boolean): SkuTrace {
  return {
    skuId,
    isShown: false,
    absent: reason,
    schedule: null,
    hidden,
    locale: null,
    currency: null,
    actualPrice: null,
    cataloguePrice: null,
    offerPrice: null,
    priceBasis: null,
    priceNotice: null,
    lowestPrice30d: null,
    promoId: null,
    steps: [],
  };
}
