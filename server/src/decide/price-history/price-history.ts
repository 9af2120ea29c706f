import { DAY_MS } from '../../platform/lib/day.js';
import type { Steps } from '../../platform/lib/steps.js';
import type { PriceQuestion } from '../compile/price-basis.js';
import type { ConfigDocument } from '../document/document.js';
import { OpenTimesCache } from './open-times.js';
import { type PricePiece, pricePieces, type SkuEra } from './price-pieces.js';
import { type PricedOffer, PricedParts, type PricedSku, pricedSku } from './priced-parts.js';

/** A version that was or is in force. */
export type PastPublication = Readonly<{ document: ConfigDocument; publishedAt: number }>;

/** EU Price Indication Directive, article 6a. */
const PRIOR_DAYS = 30;
/** So that a reduction may have begun two months ago. */
export const HISTORY_DAYS = 90;
/** Of all timelines of a game that are kept: some megabytes. */
const MAX_PIECES = 100_000;
/** What one step goes through at most. */
const SKUS_PER_STEP = 100;

/** Which prices a game could have shown in the last months, from its publications and their schedules. */
export class PriceHistory {
  readonly #eras: ReadonlyMap<string, readonly SkuEra[]>;
  readonly #parts: PricedParts;
  /** Those of one day. */
  readonly #timelines = new Map<string, readonly PricePiece[]>();
  readonly #times = new OpenTimesCache();
  #day = 0;
  #pieces = 0;

  constructor(eras: ReadonlyMap<string, readonly SkuEra[]> = new Map(), parts = new PricedParts()) {
    this.#eras = eras;
    this.#parts = parts;
  }

  /** The history with one more version. In steps, one for each offer and SKU. What was before the beginning is forgotten. */
  *withSteps(
    { document, publishedAt }: PastPublication,
    beginsAt = publishedAt - HISTORY_DAYS * DAY_MS,
  ): Steps<PriceHistory> {
    const parts = new PricedParts(this.#parts);
    const offersOf = yield* offersBySku(document, parts);
    const present = new Map<string, PricedSku>();
    for (const entry of document.catalogue) {
      const sku = entry.active ? parts.sku(entry, document) : null;
      if (sku !== null) present.set(entry.skuId, pricedSku(sku, offersOf(entry.skuId)));
      yield;
    }
    const eras = new Map<string, readonly SkuEra[]>();
    let left = SKUS_PER_STEP;
    for (const skuId of new Set([...this.#eras.keys(), ...present.keys()])) {
      const era = { since: publishedAt, priced: present.get(skuId) ?? null };
      const list = erasSince(beginsAt, withEra(this.#eras.get(skuId) ?? [], era));
      if (list.some(({ priced }) => priced !== null)) eras.set(skuId, list);
      if (left-- > 0) continue;
      left = SKUS_PER_STEP;
      yield;
    }
    // The parts of the version before are not needed any more.
    parts.forgetBefore();
    return new PriceHistory(eras, parts);
  }

  /**
   * The lowest price of the 30 days before the present reduction began; null if no reduction began within the history, or the
   * SKU was not sold before. A reduction began when a price as low as the present one could be shown from then on until now.
   * Where prices are not known, the present one counts as shown: then there is no reduction, and none is overstated.
   */
  readonly lowestBefore = (question: PriceQuestion): Steps<bigint | null> => this.#lowestSteps(question);

  *#lowestSteps(question: PriceQuestion): Steps<bigint | null> {
    const { price, isPersonal, now } = question;
    const pieces = yield* this.#timeline(question);
    const lowest = (piece: PricePiece | undefined) =>
      piece?.isKnown === false ? price : ((isPersonal ? piece?.ofAnybody : piece?.ofEverybody) ?? null);
    let index = pieces.findLastIndex(({ since }) => since <= now);
    if (pieces[index]?.isKnown === false) return price;
    while (index > 0 && pieces[index - 1]?.isKnown && isAtMost(lowest(pieces[index - 1]), price)) index--;
    const began = pieces[index]?.since;
    if (index <= 0 || began === undefined) return null;
    let found: bigint | null = null;
    for (let each = index - 1; each >= 0; each--) {
      if ((pieces[each + 1]?.since ?? began) <= began - PRIOR_DAYS * DAY_MS) break;
      const before = lowest(pieces[each]);
      if (before !== null && (found === null || before < found)) found = before;
    }
    return found;
  }

  /** The same for all players with a currency for a day, of a country and zone where an offer depends on these. */
  *#timeline({ skuId, currency, country, zone, now }: PriceQuestion): Steps<readonly PricePiece[]> {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.#day) this.#beginDay(day);
    const eras = this.#eras.get(skuId) ?? [];
    const ofCountry = eras.some(({ priced }) => priced?.readsCountry) ? country : '';
    const ofZone = eras.some(({ priced }) => priced?.readsZone) ? zone : '';
    const key = `${skuId}\n${currency}\n${ofCountry}\n${ofZone}`;
    const found = this.#timelines.get(key);
    if (found !== undefined) return found;
    const span = { from: (day - HISTORY_DAYS) * DAY_MS, until: (day + 1) * DAY_MS };
    const made = yield* pricePieces(eras, span, { currency, country, zone }, this.#times);
    // Another day may have begun while it was made.
    if (day === this.#day) this.#keep(key, made);
    return made;
  }

  #beginDay(day: number): void {
    this.#forgetTimelines();
    this.#times.clear();
    this.#day = day;
  }

  #forgetTimelines(): void {
    this.#timelines.clear();
    this.#pieces = 0;
  }

  #keep(key: string, made: readonly PricePiece[]): void {
    if (this.#pieces >= MAX_PIECES) this.#forgetTimelines();
    this.#timelines.set(key, made);
    // The key counts as well.
    this.#pieces += made.length + 1;
  }
}

function isAtMost(one: bigint | null, other: bigint): boolean {
  return one !== null && one <= other;
}

/** In order; an offer about all SKUs is about each. */
function* offersBySku(
  document: ConfigDocument,
  parts: PricedParts,
): Steps<(skuId: string) => readonly PricedOffer[]> {
  const offers: { offer: PricedOffer; skus: ReadonlySet<string> | null }[] = [];
  for (const entry of document.offers) {
    const offer = parts.offer(entry, document);
    if (offer !== null) offers.push({ offer, skus: entry.skus === 'all' ? null : new Set(entry.skus) });
    yield;
  }
  return (skuId) => offers.filter(({ skus }) => skus === null || skus.has(skuId)).map(({ offer }) => offer);
}

/** Versions that say the same about a SKU are one era. */
function withEra(eras: readonly SkuEra[], era: SkuEra): readonly SkuEra[] {
  const last = eras.at(-1);
  return last !== undefined && isSame(last.priced, era.priced) ? eras : [...eras, era];
}

/** Those that reach beyond an instant, from then on. */
function erasSince(instant: number, eras: readonly SkuEra[]): readonly SkuEra[] {
  return eras
    .filter((_, index) => (eras[index + 1]?.since ?? Number.POSITIVE_INFINITY) > instant)
    .map((era) => (era.since < instant ? { ...era, since: instant } : era));
}

function isSame(one: PricedSku | null, other: PricedSku | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.sku === other.sku &&
    one.offers.length === other.offers.length &&
    one.offers.every((offer, index) => offer === other.offers[index])
  );
}
