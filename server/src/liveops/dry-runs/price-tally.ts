import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { findAvailableSkus } from '../../decide/decide/available-skus.js';
import { applyOffer, type SkuChange } from '../../decide/decide/sku-change.js';
import { formatMinorUnits } from '../../decide/document/prices.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
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

/** How many players see another price of some SKU. A player may pay less for one SKU and more for another. */
export type PricedPlayers = Readonly<{ players: number; payLess: number; payMore: number }>;

/** Changes that are listed: those of most players. */
const MAX_LISTED = 200;
/** Different changes that are counted. A document with so many has offers for nearly every player. */
const MAX_COUNTED = 20_000;
/** Players with the same offers and currency see the same prices. */
const MAX_CASES = 5_000;

type Difference = Omit<PriceChange, 'players' | 'estimate'>;
type Counted = Difference & { players: number };
/** What changes for players who see the same prices. */
type PriceCase = Readonly<{
  changes: readonly Counted[];
  isOther: boolean;
  isLess: boolean;
  isMore: boolean;
}>;

/** Counts the players who see a SKU at another price, or see it no longer, or for the first time. */
export class PriceTally {
  readonly #before: CompiledDocument;
  readonly #after: CompiledDocument;
  readonly #unchanged: ReadonlySet<string>;
  readonly #nowMs: number;
  readonly #counted = new Map<string, Counted>();
  readonly #cases = createFifoMap<string, PriceCase>();
  readonly #priced = { players: 0, payLess: 0, payMore: 0 };

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
    let found = this.#cases.get(key);
    if (found === undefined) {
      found = this.#caseOf(this.#compare(facts, before.offers, after.offers));
      this.#cases.set(key, found);
      const oldest = this.#cases.size > MAX_CASES ? this.#cases.oldest() : undefined;
      if (oldest !== undefined) this.#cases.delete(oldest[0]);
    }
    for (const change of found.changes) change.players++;
    if (found.isOther) this.#priced.players++;
    if (found.isLess) this.#priced.payLess++;
    if (found.isMore) this.#priced.payMore++;
  }

  /** `scale`: how many players each examined player stands for. */
  changes(scale: number): PriceChange[] {
    return [...this.#counted.values()]
      .filter(({ players }) => players > 0)
      .sort((a, b) => b.players - a.players)
      .slice(0, MAX_LISTED)
      .map((change) => ({ ...change, estimate: scale === 1 ? null : Math.round(change.players * scale) }));
  }

  /** Of all players, if each examined player stands for `scale` players. */
  priced(scale: number): PricedPlayers {
    const { players, payLess, payMore } = this.#priced;
    return {
      players: Math.round(players * scale),
      payLess: Math.round(payLess * scale),
      payMore: Math.round(payMore * scale),
    };
  }

  #caseOf(differences: readonly Difference[]): PriceCase {
    return {
      changes: differences.flatMap((difference) => this.#countedAs(difference) ?? []),
      isOther: differences.length > 0,
      isLess: differences.some(({ from, to }) => isLess(to, from)),
      isMore: differences.some(({ from, to }) => isLess(from, to)),
    };
  }

  #compare(facts: PlayerFacts, before: ReadonlySet<string>, after: ReadonlySet<string>): Difference[] {
    const same = [...after].filter((offerId) => this.#unchanged.has(`offer:${offerId}`));
    const from = this.#shown(this.#before, facts, new Set([...before, ...same]));
    const to = this.#shown(this.#after, facts, after);
    return [...new Set([...to.keys(), ...from.keys()])]
      .map((skuId) => ({ skuId, from: from.get(skuId) ?? null, to: to.get(skuId) ?? null }))
      .filter((each) => each.from?.price !== each.to?.price || each.from?.currency !== each.to?.currency);
  }

  #countedAs({ skuId, from, to }: Difference): Counted | undefined {
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

/** Prices in different currencies are not compared. */
function isLess(one: ShownPrice | null, other: ShownPrice | null): boolean {
  return one?.currency === other?.currency && Number(one?.price) < Number(other?.price);
}
