import { currencyDecimals } from '../../platform/lib/currencies.js';
import type { SkuEntry } from '../document/parts/catalogue.js';
import type { OfferEntry } from '../document/parts/offers.js';
import { type Guardrail, guardrailsInTheWay, type SkuPrice, skuPriceOf } from '../document/prices.js';
import type { ProblemList } from './document-problems.js';
import { validateAmount } from './validate-catalogue.js';

type SetTo = Readonly<Record<string, string>>;

/** A SKU and its prices, computed once for all offers. */
export type PricedSku = Readonly<{
  skuId: string;
  /** By currency; undefined where an amount is wrong, which is reported at the SKU. */
  skuPrices: ReadonlyMap<string, SkuPrice | undefined>;
}>;

/** The amounts between which no guardrail of any SKU applies, in one currency; and the last SKU that is sold in it. */
type Bounds = { from: bigint; to: bigint | undefined; skuId: string };

const IN_THE_WAY: Record<Guardrail, string> = {
  actual_price: 'above the actual price',
  floor_price: 'below the floor price',
  largest_discount: "below what the game's largest discount allows for the price",
};

/**
 * Offers may set only prices that their SKUs can have. A catalogue can hold a hundred thousand prices, and there can be
 * hundreds of offers: an amount is compared with the bounds of all SKUs at once, and with each SKU only if it is outside of
 * those.
 */
export class SetPriceCheck {
  readonly #skus: readonly PricedSku[];
  readonly #problems: ProblemList;
  #boundsOfAll: ReadonlyMap<string, Bounds> | undefined;

  constructor(skus: readonly PricedSku[], problems: ProblemList) {
    this.#skus = skus;
    this.#problems = problems;
  }

  validate(setTo: SetTo, skus: OfferEntry['skus'], pointer: string): void {
    const targets = this.#targets(skus);
    const bounds = skus === 'all' ? this.#all() : boundsOf(targets);
    for (const [currency, amount] of Object.entries(setTo)) {
      const at = `${pointer}/${currency}`;
      const wanted = validateAmount(amount, currency, at, this.#problems);
      const bound = bounds.get(currency);
      if (wanted === undefined || bound === undefined || isWithin(wanted, bound)) continue;
      this.#tellGuardrails(targets, currency, wanted, at);
      if (this.#problems.isFull) return;
    }
    for (const [currency, { skuId }] of bounds) {
      if (Object.hasOwn(setTo, currency)) continue;
      this.#problems.add(pointer, `There is no price in ${currency}, in which "${skuId}" is sold.`);
    }
  }

  #targets(skus: OfferEntry['skus']): readonly PricedSku[] {
    if (skus === 'all') return this.#skus;
    const wanted = new Set(skus);
    return this.#skus.filter(({ skuId }) => wanted.has(skuId));
  }

  #all(): ReadonlyMap<string, Bounds> {
    this.#boundsOfAll ??= boundsOf(this.#skus);
    return this.#boundsOfAll;
  }

  #tellGuardrails(targets: readonly PricedSku[], currency: string, wanted: bigint, pointer: string): void {
    for (const { skuId, skuPrices } of targets) {
      const skuPrice = skuPrices.get(currency);
      if (skuPrice === undefined) continue;
      for (const rail of guardrailsInTheWay(wanted, skuPrice)) {
        this.#problems.add(pointer, `The price is ${IN_THE_WAY[rail]} of "${skuId}".`);
      }
      if (this.#problems.isFull) return;
    }
  }
}

export function pricedSku({ skuId, prices }: SkuEntry, largestDiscount: bigint): PricedSku {
  const skuPrices = Object.entries(prices)
    .filter(([currency]) => currencyDecimals(currency) !== undefined)
    .map(([currency, entry]) => [currency, skuPriceOf(currency, entry, largestDiscount)] as const);
  return { skuId, skuPrices: new Map(skuPrices) };
}

function boundsOf(skus: readonly PricedSku[]): ReadonlyMap<string, Bounds> {
  const bounds = new Map<string, Bounds>();
  for (const { skuId, skuPrices } of skus) {
    for (const [currency, skuPrice] of skuPrices) {
      let bound = bounds.get(currency);
      if (bound === undefined) {
        bound = { from: 0n, to: undefined, skuId };
        bounds.set(currency, bound);
      }
      bound.skuId = skuId;
      if (skuPrice === undefined) continue;
      if (skuPrice.floor > bound.from) bound.from = skuPrice.floor;
      if (skuPrice.lowest > bound.from) bound.from = skuPrice.lowest;
      if (bound.to === undefined || skuPrice.actual < bound.to) bound.to = skuPrice.actual;
    }
  }
  return bounds;
}

function isWithin(wanted: bigint, { from, to }: Bounds): boolean {
  return wanted >= from && (to === undefined || wanted <= to);
}
