import type { CompiledSku } from '../compile/compiled-document.js';
import { offeredPrice } from '../compile/offered-price.js';
import type { PricedOffer } from './priced-parts.js';

/** What a timeline may still cost. One schedule is asked about one instant, or one offer is applied once. */
export type Allowance = { asks: number; applications: number };

/** The lowest prices that could be shown at an instant; null: none. */
export type LowestPrices = Readonly<{
  /** By offers for everybody of the country, of any platform. */
  ofEverybody: bigint | null;
  /** Also by offers for single players, to a player who gets all of them. */
  ofAnybody: bigint | null;
}>;

/** Of a SKU with these open offers; null if that costs too much. */
export function lowestPrices(
  sku: CompiledSku,
  open: readonly PricedOffer[],
  currency: string,
  allowance: Allowance,
): LowestPrices | null {
  const forAll = open.filter(({ reach }) => reach !== 'player');
  const ofEverybody = lowestOf(sku, forAll, currency, allowance);
  if (ofEverybody === undefined) return null;
  if (forAll.length === open.length) return { ofEverybody, ofAnybody: ofEverybody };
  const ofAnybody = lowestOf(sku, open, currency, allowance);
  return ofAnybody === undefined ? null : { ofEverybody, ofAnybody };
}

/** Who gets an offer that is not for everybody is not known: with all of them, with each of them alone, or with none. */
function lowestOf(
  sku: CompiledSku,
  open: readonly PricedOffer[],
  currency: string,
  allowance: Allowance,
): bigint | null | undefined {
  const isCertain = ({ reach }: PricedOffer) => reach === 'country';
  const possible = open.filter((each) => !isCertain(each));
  const certain = open.length - possible.length;
  allowance.applications -= certain + open.length + possible.length * (certain + 1);
  if (allowance.applications < 0) return undefined;
  const prices = [
    priceWith(sku, open.filter(isCertain), currency),
    priceWith(sku, open, currency),
    ...possible.map((one) =>
      priceWith(
        sku,
        certain === 0 ? [one] : open.filter((each) => each === one || isCertain(each)),
        currency,
      ),
    ),
  ];
  return prices.reduce((low, price) => (low === null || (price !== null && price < low) ? price : low), null);
}

function priceWith(sku: CompiledSku, offers: readonly PricedOffer[], currency: string): bigint | null {
  const skuPrice = sku.skuPrices.get(currency) ?? sku.defaultSkuPrice;
  return offeredPrice(
    offers.map(({ offer }) => offer),
    sku,
    skuPrice,
  );
}
