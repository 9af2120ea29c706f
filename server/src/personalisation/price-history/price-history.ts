import { DAY_MS } from '../../lib/day.js';
import type { Steps } from '../../lib/steps.js';
import type { PriceQuestion } from '../compile/price-basis.js';
import type { ConfigDocument } from '../document/document.js';
import { type PricePiece, pricePieces, type SkuEra } from './price-pieces.js';
import { type PricedOffer, PricedParts, type PricedSku } from './priced-parts.js';

/** A version that was or is in force. */
export type PastPublication = Readonly<{ document: ConfigDocument; publishedAt: number }>;

/** EU Price Indication Directive, article 6a. */
const PRIOR_DAYS = 30;
/** So that a reduction may have begun two months ago. */
export const HISTORY_DAYS = 90;
/** Timelines of SKUs by country, currency, zone and day. */
const MAX_TIMELINES = 20_000;

/** Which prices a game could have shown in the last months, from its publications and their schedules. */
export class PriceHistory {
  readonly #eras: ReadonlyMap<string, readonly SkuEra[]>;
  readonly #parts: PricedParts;
  readonly #timelines = new Map<string, readonly PricePiece[]>();

  constructor(eras: ReadonlyMap<string, readonly SkuEra[]> = new Map(), parts = new PricedParts()) {
    this.#eras = eras;
    this.#parts = parts;
  }

  /** The history with one more version. In steps, one for each SKU. What is too old is forgotten. */
  *withSteps({ document, publishedAt }: PastPublication): Steps<PriceHistory> {
    const parts = this.#parts;
    const offersOf = offersBySku(document, parts);
    const present = new Map<string, PricedSku>();
    for (const entry of document.catalogue) {
      const sku = entry.active ? parts.sku(entry, document) : null;
      if (sku !== null) present.set(entry.skuId, { sku, offers: offersOf(entry.skuId) });
      yield;
    }
    const oldest = publishedAt - HISTORY_DAYS * DAY_MS;
    const eras = new Map<string, readonly SkuEra[]>();
    for (const skuId of new Set([...this.#eras.keys(), ...present.keys()])) {
      const era = { since: publishedAt, priced: present.get(skuId) ?? null };
      const list = withEra(this.#eras.get(skuId) ?? [], era).filter(
        (_, index, all) => (all[index + 1]?.since ?? publishedAt) >= oldest,
      );
      if (list.some(({ priced }) => priced !== null)) eras.set(skuId, list);
    }
    return new PriceHistory(eras, parts);
  }

  /**
   * The lowest price of the 30 days before the present reduction began; null if no reduction began within the history, or the
   * SKU was not sold before. A reduction began when a price as low as the present one could be shown from then on until now.
   */
  lowestBefore = (question: PriceQuestion): bigint | null => {
    const { price, isPersonal, now } = question;
    const pieces = this.#timeline(question);
    const lowest = (piece: PricePiece | undefined) =>
      (isPersonal ? piece?.ofAnybody : piece?.ofEverybody) ?? null;
    let index = pieces.findLastIndex(({ since }) => since <= now);
    while (index > 0 && isAtMost(lowest(pieces[index - 1]), price)) index--;
    const began = pieces[index]?.since;
    if (index <= 0 || began === undefined) return null;
    let found: bigint | null = null;
    for (let each = index - 1; each >= 0; each--) {
      if ((pieces[each + 1]?.since ?? began) <= began - PRIOR_DAYS * DAY_MS) break;
      const before = lowest(pieces[each]);
      if (before !== null && (found === null || before < found)) found = before;
    }
    return found;
  };

  /** The same for all players of a country, currency and zone, for a day. */
  #timeline({ skuId, currency, country, zone, now }: PriceQuestion): readonly PricePiece[] {
    const day = Math.floor(now / DAY_MS);
    const key = `${skuId}\n${currency}\n${country}\n${zone}\n${day}`;
    const found = this.#timelines.get(key);
    if (found !== undefined) return found;
    if (this.#timelines.size >= MAX_TIMELINES) this.#timelines.clear();
    const span = { fromMs: (day - HISTORY_DAYS) * DAY_MS, toMs: (day + 1) * DAY_MS };
    const made = pricePieces(this.#eras.get(skuId) ?? [], span, { currency, country, zone });
    this.#timelines.set(key, made);
    return made;
  }
}

function isAtMost(one: bigint | null, other: bigint): boolean {
  return one !== null && one <= other;
}

/** In order; an offer about all SKUs is about each. */
function offersBySku(
  document: ConfigDocument,
  parts: PricedParts,
): (skuId: string) => readonly PricedOffer[] {
  const offers = document.offers.flatMap((entry) => {
    const offer = parts.offer(entry, document);
    return offer === null ? [] : [{ offer, skus: entry.skus === 'all' ? null : new Set(entry.skus) }];
  });
  return (skuId) => offers.filter(({ skus }) => skus === null || skus.has(skuId)).map(({ offer }) => offer);
}

/** Versions that say the same about a SKU are one era. */
function withEra(eras: readonly SkuEra[], era: SkuEra): readonly SkuEra[] {
  const last = eras.at(-1);
  return last !== undefined && isSame(last.priced, era.priced) ? eras : [...eras, era];
}

function isSame(one: PricedSku | null, other: PricedSku | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.sku === other.sku &&
    one.offers.length === other.offers.length &&
    one.offers.every((offer, index) => offer === other.offers[index])
  );
}
