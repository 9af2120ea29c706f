import type { PlayerFacts } from '../attributes/player-facts.js';
import type {
  CompiledDocument,
  CompiledSku,
  CompiledSkuPrice,
  SkuText,
} from '../compile/compiled-document.js';
import { localeChain } from '../document/locales.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import { zoneOf } from './decision-context.js';

/** A SKU that is for sale now, in the language and currency of one player. */
export type AvailableSku = Readonly<{ sku: CompiledSku; text: SkuText; skuPrice: CompiledSkuPrice }>;

/** The SKUs for sale now by their index, null for those before their beginning, after their end or outside of their windows. */
export function findAvailableSkus(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
): (AvailableSku | null)[] {
  const { skus, locales, skuSchedules } = document;
  const chain = localeChain(facts.profile.locale?.v, locales);
  const currency = currencyOf(facts);
  const closed = skuSchedules.length === 0 ? NONE : closedSchedules(document, facts, now);
  return skus.map((sku) =>
    sku.from <= now && now < sku.until && (sku.schedule === null || !closed.has(sku.schedule))
      ? { sku, text: textOf(sku, chain), skuPrice: sku.skuPrices.get(currency) ?? sku.defaultSkuPrice }
      : null,
  );
}

const NONE: ReadonlySet<CompiledSchedule> = new Set();

function closedSchedules(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
): ReadonlySet<CompiledSchedule> {
  const zone = zoneOf(document, facts);
  const isClosed = ({ stateAt, zone: named }: CompiledSchedule) =>
    stateAt(now, named ?? zone).window === null;
  return new Set(document.skuSchedules.filter(isClosed));
}

function textOf(sku: CompiledSku, chain: readonly string[]): SkuText {
  for (const locale of chain) {
    const text = sku.texts.get(locale);
    if (text !== undefined) return text;
  }
  return sku.defaultText;
}

/** Empty if unknown. */
export function countryOf({ profile: { country } }: PlayerFacts): string {
  return country?.v ?? '';
}

/** The last currency that an event named in its metadata, else that of the last purchase; empty if unknown. */
function currencyOf({ profile: { currency, paidCurrency } }: PlayerFacts): string {
  return (currency ?? paidCurrency)?.v ?? '';
}
