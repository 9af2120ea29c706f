import type { RenderedSku } from '../../decide/decide/decision.js';
import { DecimalSum } from '../../platform/lib/decimal-sum.js';
import type { Purchase } from './sample-queries.js';

/** Purchases of a SKU in one currency, and what the store of the document under test would have asked for them. */
export type SkuPurchases = Readonly<{
  skuId: string;
  currency: string;
  purchases: number;
  /** What was paid for all of them. */
  paid: string;
  /** Of the purchases: how the price under the document compares with what was paid. */
  same: number;
  lower: number;
  higher: number;
  /** The store of the player would not have had the SKU. */
  notInStore: number;
  /** The store would have named a price in another currency. */
  otherCurrency: number;
  /** Of `same`, `lower` and `higher`: what was paid, and what the same purchases cost under the document. */
  comparedPaid: string;
  comparedPrice: string;
}>;

/** SKUs that are listed: those with the most purchases. */
const MAX_LISTED = 200;
/** Clients name SKUs, so there may be any number of them. */
const MAX_COUNTED = 5_000;

const OUTCOMES = ['same', 'lower', 'higher', 'notInStore', 'otherCurrency'] as const;
type Outcome = (typeof OUTCOMES)[number];

type Counted = Record<Outcome, number> & {
  skuId: string;
  currency: string;
  purchases: number;
  paid: DecimalSum;
  comparedPaid: DecimalSum;
  comparedPrice: DecimalSum;
};

/** Counts purchases by SKU and currency. */
export class PurchaseTally {
  readonly #counted = new Map<string, Counted>();
  count = 0;
  /** Purchases of further SKUs, beyond those that are counted, and those that were left out. */
  notCounted = 0;

  add({ skuId, currency, price }: Purchase, store: readonly RenderedSku[]): void {
    const counted = this.#countedAs(skuId, currency);
    if (counted === undefined) {
      this.leaveOut();
      return;
    }
    this.count++;
    counted.purchases++;
    counted.paid.add(price);
    const shown = store.find((sku) => sku.skuId === skuId);
    const outcome = outcomeOf(price, currency, shown);
    counted[outcome]++;
    if (shown === undefined || outcome === 'otherCurrency') return;
    counted.comparedPaid.add(price);
    counted.comparedPrice.add(shown.offerPrice);
  }

  leaveOut(): void {
    this.count++;
    this.notCounted++;
  }

  /** Most purchases first. */
  skus(): SkuPurchases[] {
    return [...this.#counted.values()]
      .sort((a, b) => b.purchases - a.purchases || (a.skuId < b.skuId ? -1 : 1))
      .slice(0, MAX_LISTED)
      .map((counted) => ({
        ...counted,
        paid: String(counted.paid),
        comparedPaid: String(counted.comparedPaid),
        comparedPrice: String(counted.comparedPrice),
      }));
  }

  #countedAs(skuId: string, currency: string): Counted | undefined {
    const key = `${skuId}\n${currency}`;
    const known = this.#counted.get(key);
    if (known !== undefined || this.#counted.size >= MAX_COUNTED) return known;
    const sums = { paid: new DecimalSum(), comparedPaid: new DecimalSum(), comparedPrice: new DecimalSum() };
    const none = { same: 0, lower: 0, higher: 0, notInStore: 0, otherCurrency: 0 };
    const counted = { skuId, currency, purchases: 0, ...none, ...sums };
    this.#counted.set(key, counted);
    return counted;
  }
}

function outcomeOf(paid: string, currency: string, shown: RenderedSku | undefined): Outcome {
  if (shown === undefined) return 'notInStore';
  if (shown.currency !== currency) return 'otherCurrency';
  const difference = Number(shown.offerPrice) - Number(paid);
  return difference === 0 ? 'same' : difference < 0 ? 'lower' : 'higher';
}
