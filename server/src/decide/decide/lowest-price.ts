import { DAY_MS } from '../../platform/lib/day.js';
import type { Steps } from '../../platform/lib/steps.js';
import { tellsLowestPrice } from '../compile/price-basis.js';
import { formatMinorUnits } from '../document/prices.js';
import { type AvailableSku, countryOf } from './available-skus.js';
import type { DecisionContext } from './decision-context.js';
import type { SkuChange } from './sku-change.js';

/** Tells the lowest price of a SKU before its reduction; undefined where the player's country is not told. */
export function lowestPrices(
  context: DecisionContext,
): ((item: AvailableSku, change: SkuChange | undefined) => Steps<string | null>) | undefined {
  const { document, facts, now } = context;
  const { pricing, lowestPriceBefore } = document;
  const country = countryOf(facts);
  if (lowestPriceBefore === null || pricing === null || !tellsLowestPrice(pricing, country)) return undefined;
  const { zone } = context;
  // The history moves on with each day.
  context.noteBoundary((Math.floor(now / DAY_MS) + 1) * DAY_MS);
  return function* ({ sku, skuPrice }, change) {
    const lowest = yield* lowestPriceBefore({
      skuId: sku.skuId,
      currency: skuPrice.currency,
      country,
      zone,
      price: change?.price ?? skuPrice.offer,
      isPersonal: change?.basis === 'personal',
      now,
    });
    return lowest === null ? null : formatMinorUnits(lowest, skuPrice.decimals);
  };
}
