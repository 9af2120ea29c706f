import type { CompiledOffer, CompiledSkuPrice } from '../compile/compiled-document.js';
import { priceAfter } from '../compile/offered-price.js';

export type PriceRange = Readonly<{ low: bigint; high: bigint }>;

/** The prices of players whose SKU no offer has won yet, and of those whose SKU one has won. */
type Reached = Readonly<{ free: PriceRange | null; won: PriceRange | null }>;

/**
 * The lowest and the highest price that a SKU can have when these offers run, as `applyOffer` applies them. Each step moves a lower
 * price to a lower one, so it is enough to follow both ends.
 */
export function reachablePrices(
  running: readonly Readonly<{ offer: CompiledOffer; isCertain: boolean }>[],
  skuPrice: CompiledSkuPrice,
  hasHeldOut: boolean,
): PriceRange {
  const list = { low: skuPrice.offer, high: skuPrice.offer };
  let reached: Reached = { free: list, won: null };
  for (const { offer, isCertain } of running) {
    const after = applied(reached, offer, skuPrice);
    reached = isCertain
      ? after
      : { free: union(reached.free, after.free), won: union(reached.won, after.won) };
  }
  const all = union(reached.free, reached.won) ?? list;
  return (hasHeldOut ? union(all, list) : all) ?? list;
}

function applied({ free, won }: Reached, offer: CompiledOffer, skuPrice: CompiledSkuPrice): Reached {
  const price = (range: PriceRange | null): PriceRange | null =>
    range && { low: priceAfter(offer, skuPrice, range.low), high: priceAfter(offer, skuPrice, range.high) };
  return offer.combine
    ? { free: price(free), won: price(won) }
    : { free: null, won: union(price(free), won) };
}

function union(one: PriceRange | null, other: PriceRange | null): PriceRange | null {
  if (one === null || other === null) return one ?? other;
  return {
    low: one.low < other.low ? one.low : other.low,
    high: one.high > other.high ? one.high : other.high,
  };
}
