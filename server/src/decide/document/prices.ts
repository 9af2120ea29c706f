import { currencyDecimals } from '../../platform/lib/currencies.js';
import { parseDecimal } from '../../platform/lib/money.js';
import type { SkuPriceEntry } from './parts/catalogue.js';

/**
 * Prices in whole minor units (cents) as BigInts: exact, whatever is done to them. A discount is rounded down to the
 * currency's decimals, in favour of the player; the lowest price that the largest discount allows is rounded up, so that
 * the discount is never exceeded, not even by a fraction of a cent.
 */

/** The price of a SKU in one currency, and the bounds that no offer can pass. */
export type SkuPrice = Readonly<{
  currency: string;
  decimals: number;
  actual: bigint;
  /** The catalogue's own offer price: that of the untargeted store. */
  offer: bigint;
  /** 0n without one. */
  floor: bigint;
  /** By the game's largest discount. */
  lowest: bigint;
}>;

export type Guardrail = 'floor_price' | 'largest_discount' | 'actual_price';

const BASIS_POINTS = 10_000n;

/** The amount in minor units; undefined if it has more decimals than the currency, or is none. */
export function toMinorUnits(amount: string, currency: string): bigint | undefined {
  const decimals = currencyDecimals(currency);
  const parsed = parseDecimal(amount);
  if (decimals === undefined || parsed === undefined || parsed.fraction.length > decimals) return undefined;
  return BigInt(parsed.integer + parsed.fraction.padEnd(decimals, '0'));
}

/** The text of a JSON number with the currency's own number of decimals: `5.00`. */
export function formatMinorUnits(amount: bigint, decimals: number): string {
  if (decimals === 0) return `${amount}`;
  const digits = `${amount}`.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** `12.5` to 1250n: percentages of prices have two decimals at most. */
export function toBasisPoints(percent: string): bigint {
  const parsed = parseDecimal(percent);
  if (parsed === undefined || parsed.fraction.length > 2)
    throw new RangeError(`${percent} is not a percentage`);
  return BigInt(parsed.integer + parsed.fraction.padEnd(2, '0'));
}

export function discounted(price: bigint, discount: bigint): bigint {
  return (price * (BASIS_POINTS - discount)) / BASIS_POINTS;
}

/** The lowest price that a discount of so many basis points leaves. */
export function lowestPrice(actual: bigint, largestDiscount: bigint): bigint {
  return (actual * (BASIS_POINTS - largestDiscount) + BASIS_POINTS - 1n) / BASIS_POINTS;
}

/** The price an offer wants, within the guardrails. The last one always holds: no price is above the actual price. */
export function withinGuardrails(wanted: bigint, { floor, lowest, actual }: SkuPrice): bigint {
  let price = wanted;
  if (price < floor) price = floor;
  if (price < lowest) price = lowest;
  return price > actual ? actual : price;
}

/** The guardrails that kept an offer from the price it wants. */
export function guardrailsInTheWay(wanted: bigint, { floor, lowest, actual }: SkuPrice): Guardrail[] {
  const guardrails: Guardrail[] = [];
  if (wanted < floor) guardrails.push('floor_price');
  if (wanted < lowest) guardrails.push('largest_discount');
  if (wanted > actual) guardrails.push('actual_price');
  return guardrails;
}

/** Undefined if an amount does not fit the currency. */
export function skuPriceOf(
  currency: string,
  entry: SkuPriceEntry,
  largestDiscount: bigint,
): SkuPrice | undefined {
  const decimals = currencyDecimals(currency);
  const actual = toMinorUnits(entry.actualPrice, currency);
  const offer = toMinorUnits(entry.offerPrice, currency);
  const floor = toMinorUnits(entry.floorPrice ?? '0', currency);
  if (decimals === undefined || actual === undefined || offer === undefined || floor === undefined) {
    return undefined;
  }
  return { currency, decimals, actual, offer, floor, lowest: lowestPrice(actual, largestDiscount) };
}
