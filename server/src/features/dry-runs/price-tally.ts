import { createFifoMap } from '../../lib/fifo-map.js';
import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { findAvailableSkus } from '../../personalisation/decide/available-skus.js';
import { applyOffer, type SkuChange } from '../../personalisation/decide/sku-change.js';
import { formatMinorUnits } from '../../personalisation/document/prices.js';
import type { Evaluation } from '../evaluations/evaluate-player.js';

export type ShownPrice = Readonly<{ currency: string; price: string }>;

/** A SKU whose price changes in the same way for some players. Null: the SKU is not in the store of these players. */
export type PriceChange = Readonly<{
  skuId: string;
  from: ShownPrice | null;
  to: ShownPrice | null;
  /** Of the examined players. */
  players: number;
  /** The same for all players, if only a sample was examined. */
  estimate: number | null;
}>;

/** Changes that are listed: those of most players. */
const MAX_LISTED = 200;
/** Different changes that are counted. A document with so many has offers for nearly every player. */
const MAX_COUNTED = 20_000;
/** Players with the same offers and currency see the same prices. */
const MAX_CASES = 5_000;

type Counted = Omit<PriceChange, 'players' | 'estimate'> & { players: number };

/** Counts the players who see a SKU at another price, or see it no longer, or for the first time. */
export class PriceTally {
  readonly #before: CompiledDocument;
  readonly #after: CompiledDocument;
  readonly #unchanged: ReadonlySet<string>;
  readonly #nowMs: number;
  readonly #counted = new Map<string, Counted>();
  readonly #cases = createFifoMap<string, readonly Counted[]>();

  /** `unchanged`: offers such as `offer:sale` that apply to the same players under both documents. */
  constructor(
    before: CompiledDocument,
    after: CompiledDocument,
    unchanged: ReadonlySet<string>,
    nowMs: number,
  ) {
    this.#before = before;
    this.#after = after;
    this.#unchanged = unchanged;
    this.#nowMs = nowMs;
  }

  add(facts: PlayerFacts, before: Evaluation, after: Evaluation): void {
    const { currency, paidCurrency } = facts.profile;
    const key = [(currency ?? paidCurrency)?.v, ...before.offers, '', ...after.offers].join('\n');
    let changes = this.#cases.get(key);
    if (changes === undefined) {
      changes = this.#compare(facts, before.offers, after.offers);
      this.#cases.set(key, changes);
      const oldest = this.#cases.size > MAX_CASES ? this.#cases.oldest() : undefined;
      if (oldest !== undefined) this.#cases.delete(oldest[0]);
    }
    for (const change of changes) change.players++;
  }

  /** `scale`: how many players each examined player stands for. */
  changes(scale: number): PriceChange[] {
    return [...this.#counted.values()]
      .filter(({ players }) => players > 0)
      .sort((a, b) => b.players - a.players)
      .slice(0, MAX_LISTED)
      .map((change) => ({ ...change, estimate: scale === 1 ? null : Math.round(change.players * scale) }));
  }

  #compare(facts: PlayerFacts, before: ReadonlySet<string>, after: ReadonlySet<string>): Counted[] {
    const same = [...after].filter((offerId) => this.#unchanged.has(`offer:${offerId}`));
    const from = this.#shown(this.#before, facts, new Set([...before, ...same]));
    const to = this.#shown(this.#after, facts, after);
    return [...new Set([...to.keys(), ...from.keys()])].flatMap((skuId) => {
      const counted = this.#changeOf(skuId, from.get(skuId) ?? null, to.get(skuId) ?? null);
      return counted ?? [];
    });
  }

  #changeOf(skuId: string, from: ShownPrice | null, to: ShownPrice | null): Counted | undefined {
    if (from?.price === to?.price && from?.currency === to?.currency) return undefined;
    const key = [skuId, from?.price, from?.currency, to?.price, to?.currency].join('\n');
    const known = this.#counted.get(key);
    if (known !== undefined || this.#counted.size >= MAX_COUNTED) return known;
    const counted = { skuId, from, to, players: 0 };
    this.#counted.set(key, counted);
    return counted;
  }

  /** The prices in the store of a player to whom these offers apply, as `decideStore` decides them. */
  #shown(
    document: CompiledDocument,
    facts: PlayerFacts,
    applying: ReadonlySet<string>,
  ): Map<string, ShownPrice> {
    const available = findAvailableSkus(document, facts, this.#nowMs);
    const changes: (SkuChange | undefined)[] = [];
    for (const offer of document.offers) {
      if (!applying.has(offer.offerId)) continue;
      for (const index of offer.skus) {
        const item = available[index];
        if (item != null) changes[index] = applyOffer(offer, item, changes[index], false);
      }
    }
    const shown = new Map<string, ShownPrice>();
    for (const [index, item] of available.entries()) {
      if (item === null || !(changes[index]?.isVisible ?? !item.sku.hidden)) continue;
      const { currency, decimals, offer } = item.skuPrice;
      const price = formatMinorUnits(changes[index]?.price ?? offer, decimals);
      shown.set(item.sku.skuId, { currency, price });
    }
    return shown;
  }
}
