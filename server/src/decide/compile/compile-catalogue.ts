import { flatten } from '../../platform/lib/flatten.js';
import { parseEventTimestamp } from '../../platform/lib/iso-time.js';
import { localeChain, normalizeLocale } from '../document/locales.js';
import type { AssetEntry } from '../document/member-schemas.js';
import { offerHoldoutId, offerHoldoutSeed } from '../document/offer-holdouts.js';
import type { LocalisedText, SkuEntry } from '../document/parts/catalogue.js';
import type { OfferEntry } from '../document/parts/offers.js';
import {
  formatMinorUnits,
  type SkuPrice,
  skuPriceOf,
  toBasisPoints,
  toMinorUnits,
} from '../document/prices.js';
import { DEPENDENCE, type Dependence } from '../rules/dependence.js';
import type { CompiledRule } from '../rules/rules.js';
import type { ScheduleCompiler } from '../schedules/schedule-compiler.js';
import { offerHoldoutSalt, offerSalt } from './bucket.js';
import type {
  CompiledHoldout,
  CompiledOffer,
  CompiledSku,
  CompiledSkuPrice,
  SkuText,
} from './compiled-document.js';
import type { PriceNote, VariesBy } from './price-basis.js';

export type SkuCompiler = typeof compileSku;

/** Throws for an entry that `validateDocument` would refuse. */
export function compileSku(
  entry: SkuEntry,
  largestDiscount: bigint,
  listNote: PriceNote | null,
  compileSchedule: ScheduleCompiler,
): CompiledSku {
  const { skuId, assets, defaultCurrency } = entry;
  const assetsJson = membersJson(assets);
  const skuPrices = new Map<string, CompiledSkuPrice>();
  for (const [currency, skuPrice] of pricesOf(entry, largestDiscount)) {
    skuPrices.set(currency, compileSkuPrice(skuPrice, assetsJson, listNote));
  }
  const defaultSkuPrice = skuPrices.get(defaultCurrency);
  if (defaultSkuPrice === undefined) throw new RangeError(`${skuId} has no price in ${defaultCurrency}`);
  return {
    skuId,
    hidden: entry.hidden === true,
    ...scheduleOf(entry),
    schedule: compileSchedule(entry.schedule),
    assets,
    assetsJson,
    defaultText: skuText(skuId, null, entry.name.default, entry.description.default),
    texts: compileTexts(entry),
    defaultSkuPrice,
    skuPrices,
  };
}

/** By currency. Throws for prices that `validateDocument` would refuse. */
export function pricesOf({ skuId, prices }: SkuEntry, largestDiscount: bigint): Map<string, SkuPrice> {
  const skuPrices = new Map<string, SkuPrice>();
  for (const [currency, price] of Object.entries(prices)) {
    const skuPrice = skuPriceOf(currency, price, largestDiscount);
    if (skuPrice === undefined)
      throw new RangeError(`${skuId} has no price in ${currency} that can be charged`);
    skuPrices.set(currency, skuPrice);
  }
  return skuPrices;
}

/** Throws for an entry that `validateDocument` would refuse. */
export function compileOffer(
  entry: OfferEntry,
  rule: CompiledRule | null,
  dependence: Dependence,
  variesBy: VariesBy,
  skuIndexes: ReadonlyMap<string, number>,
  compileSchedule: ScheduleCompiler,
): CompiledOffer {
  const { offerId, sharePercent, combine, limitPerPlayer, effect } = entry;
  const { price, badges = [], visibility = null, promoId = null } = effect;
  const skus =
    entry.skus === 'all'
      ? [...skuIndexes.values()]
      : // Inactive SKUs have no index: there is nothing to be done to them.
        [...new Set(entry.skus)].flatMap((skuId) => skuIndexes.get(skuId) ?? []);
  return {
    offerId,
    salt: offerSalt(offerId),
    sharePercent,
    holdout: compileHoldout(entry),
    ...scheduleOf(entry),
    schedule: compileSchedule(entry.schedule),
    rule,
    dependence: limitPerPlayer === null ? dependence : dependence | DEPENDENCE.events,
    variesBy,
    skus,
    combine,
    visibility,
    setTo: price !== undefined && 'setTo' in price ? minorUnits(price.setTo) : null,
    discount: price !== undefined && 'discountPercent' in price ? toBasisPoints(price.discountPercent) : null,
    badges,
    badgesJson: membersJson(badges),
    promoId,
    promoJson: promoId === null ? '' : `,"promoId":${JSON.stringify(promoId)}`,
    limitPerPlayer,
  };
}

function compileHoldout({ offerId, holdoutPercent: percent = 0 }: OfferEntry): CompiledHoldout | null {
  if (percent <= 0) return null;
  const [experimentId, seed] = [offerHoldoutId(offerId), offerHoldoutSeed(percent)];
  return { percent, salt: offerHoldoutSalt(offerId), experimentId, seed };
}

/** Epoch milliseconds; minus Infinity and Infinity where open. */
function scheduleOf(entry: { from: string | null; until: string | null }): {
  from: number;
  until: number;
} {
  return {
    from: entry.from === null ? Number.NEGATIVE_INFINITY : instantOf(entry.from),
    until: entry.until === null ? Number.POSITIVE_INFINITY : instantOf(entry.until),
  };
}

function instantOf(text: string): number {
  const instant = parseEventTimestamp(text);
  if (instant === undefined) throw new RangeError(`${text} is not a time`);
  return instant.epochMs;
}

function minorUnits(amounts: Readonly<Record<string, string>>): ReadonlyMap<string, bigint> {
  const units = new Map<string, bigint>();
  for (const [currency, amount] of Object.entries(amounts)) {
    const price = toMinorUnits(amount, currency);
    if (price === undefined) throw new RangeError(`${amount} ${currency} is not a price`);
    units.set(currency, price);
  }
  return units;
}

function compileSkuPrice(skuPrice: SkuPrice, assetsJson: string, note: PriceNote | null): CompiledSkuPrice {
  const actualText = formatMinorUnits(skuPrice.actual, skuPrice.decimals);
  const offerText = formatMinorUnits(skuPrice.offer, skuPrice.decimals);
  return {
    ...skuPrice,
    actualText,
    offerText,
    tailJson: flatten(tailJson(actualText, offerText, skuPrice.currency, assetsJson, note?.json)),
    note,
  };
}

/**
 * SKUs are written as text rather than through JSON.stringify because prices are exact decimals with the currency's own
 * number of decimals (5.00, not 5), which a JavaScript number cannot carry.
 */
export function tailJson(
  actual: string,
  offer: string,
  currency: string,
  assetsJson: string,
  moreJson = '',
): string {
  return `,"actualPrice":${actual},"offerPrice":${offer},"currency":"${currency}","assets":[${assetsJson}],"active":true${moreJson}}`;
}

function compileTexts({ skuId, name, description }: SkuEntry): ReadonlyMap<string, SkuText> {
  const names = byLocale(name);
  const descriptions = byLocale(description);
  const known = new Set([...names.keys(), ...descriptions.keys()]);
  const texts = new Map<string, SkuText>();
  for (const locale of known) {
    const chain = localeChain(locale, known);
    texts.set(
      locale,
      skuText(
        skuId,
        locale,
        pick(chain, names) ?? name.default,
        pick(chain, descriptions) ?? description.default,
      ),
    );
  }
  return texts;
}

function byLocale(text: LocalisedText): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(text.locales).map(([locale, translation]) => [normalizeLocale(locale), translation]),
  );
}

function pick(chain: readonly string[], translations: ReadonlyMap<string, string>): string | undefined {
  const locale = chain.find((candidate) => translations.has(candidate));
  return locale === undefined ? undefined : translations.get(locale);
}

function skuText(skuId: string, locale: string | null, name: string, description: string): SkuText {
  const headJson = JSON.stringify({ skuId, name, description }).slice(0, -1);
  return { locale, name, description, headJson };
}

function membersJson(assets: readonly AssetEntry[]): string {
  return JSON.stringify(assets).slice(1, -1);
}
