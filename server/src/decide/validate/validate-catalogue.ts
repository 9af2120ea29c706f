import { currencyDecimals } from '../../platform/lib/currencies.js';
import { parseEventTimestamp } from '../../platform/lib/iso-time.js';
import { pointerPart } from '../../platform/lib/json-pointer.js';
import type { Steps } from '../../platform/lib/steps.js';
import { normalizeLocale } from '../document/locales.js';
import type { LocalisedText, SkuEntry, SkuPriceEntry } from '../document/parts/catalogue.js';
import { formatMinorUnits, skuPriceOf, toMinorUnits } from '../document/prices.js';
import type { Entry, ProblemList } from './document-problems.js';

/** SKUs can be sold: prices fit their currencies and each other, and schedules have a beginning before their end. */
export function* validateCatalogue(
  skus: readonly Entry<SkuEntry>[],
  largestDiscount: bigint,
  problems: ProblemList,
): Steps<void> {
  for (const { entry, pointer } of skus) {
    if (problems.isFull) return;
    validateSchedule(entry, pointer, problems);
    validateLocales(entry.name, `${pointer}/name`, problems);
    validateLocales(entry.description, `${pointer}/description`, problems);
    if (!Object.hasOwn(entry.prices, entry.defaultCurrency)) {
      problems.add(`${pointer}/defaultCurrency`, `There is no price in ${entry.defaultCurrency}.`);
    }
    for (const [currency, price] of Object.entries(entry.prices)) {
      validatePrice(currency, price, largestDiscount, `${pointer}/prices/${currency}`, problems);
    }
    yield;
  }
}

/** Says what is wrong with an amount of a currency, or gives it in minor units. */
export function validateAmount(
  amount: string,
  currency: string,
  pointer: string,
  problems: ProblemList,
): bigint | undefined {
  const decimals = currencyDecimals(currency);
  const minor = toMinorUnits(amount, currency);
  if (decimals === undefined) problems.add(pointer, `"${currency}" is not a currency of ISO 4217.`);
  else if (minor === undefined)
    problems.add(pointer, `An amount of ${currency} has ${decimals} decimals at most.`);
  return minor;
}

export function validateSchedule(
  { from, until }: { from: string | null; until: string | null },
  pointer: string,
  problems: ProblemList,
): void {
  const begin = validateInstant(from, `${pointer}/from`, problems);
  const end = validateInstant(until, `${pointer}/until`, problems);
  if (begin !== undefined && end !== undefined && begin >= end) {
    problems.add(`${pointer}/until`, 'The end must be after the beginning.');
  }
}

function validateInstant(text: string | null, pointer: string, problems: ProblemList): number | undefined {
  if (text === null) return undefined;
  const instant = parseEventTimestamp(text);
  if (instant === undefined) {
    problems.add(pointer, 'A time is written with date, time and zone, as in 2026-12-24T18:00:00Z.');
  }
  return instant?.epochMs;
}

function validateLocales({ locales }: LocalisedText, pointer: string, problems: ProblemList): void {
  const seen = new Set<string>();
  for (const locale of Object.keys(locales)) {
    const normalized = normalizeLocale(locale);
    if (seen.has(normalized)) {
      problems.add(`${pointer}/locales/${pointerPart(locale)}`, 'There is another text for this locale.');
    }
    seen.add(normalized);
  }
}

function validatePrice(
  currency: string,
  price: SkuPriceEntry,
  largestDiscount: bigint,
  pointer: string,
  problems: ProblemList,
): void {
  validateAmount(price.actualPrice, currency, `${pointer}/actualPrice`, problems);
  if (currencyDecimals(currency) === undefined) return;
  validateAmount(price.offerPrice, currency, `${pointer}/offerPrice`, problems);
  if (price.floorPrice !== undefined) {
    validateAmount(price.floorPrice, currency, `${pointer}/floorPrice`, problems);
  }
  const skuPrice = skuPriceOf(currency, price, largestDiscount);
  if (skuPrice === undefined) return;
  if (skuPrice.offer > skuPrice.actual) {
    problems.add(
      `${pointer}/offerPrice`,
      `The offer price is above the actual price of ${price.actualPrice}.`,
    );
  }
  if (skuPrice.floor > skuPrice.offer) {
    problems.add(`${pointer}/floorPrice`, `The floor is above the offer price of ${price.offerPrice}.`);
  }
  if (skuPrice.offer < skuPrice.lowest) {
    const lowest = formatMinorUnits(skuPrice.lowest, skuPrice.decimals);
    problems.add(`${pointer}/offerPrice`, `By the game's largest discount it cannot be below ${lowest}.`);
  }
}
