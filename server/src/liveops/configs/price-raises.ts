import type { CompiledOffer } from '../../decide/compile/compiled-document.js';
import { offeredPrice } from '../../decide/compile/offered-price.js';
import { comingInstants } from '../../decide/document/coming-instants.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { formatMinorUnits, type SkuPrice } from '../../decide/document/prices.js';
import type { Steps } from '../../platform/lib/steps.js';
import { compareArmSteps, mayApply, mayLose } from './audience-changes.js';
import { type ConflictingOffer, chainsOf, conflictsOf } from './offer-conflicts.js';
import {
  offersAt,
  offersSeenAt,
  type PricedDocument,
  type PricedSku,
  type PricingOffer,
  pricedDocumentSteps,
} from './priced-document.js';

/** A price that players of a running offer see today and that a publication would raise. */
export type PriceRaise = Readonly<{
  offerId: string;
  skuId: string;
  currency: string;
  from: string;
  to: string;
  /** When it goes up. Null: with the publication. */
  at: string | null;
  /** JSON pointer into the old document: the offer may not be in the new one. */
  pointer: string;
}>;

/** More than a person reads before confirming them. */
const MAX_RAISES = 1_000;

/**
 * The first thousand of the prices that publishing `next` over `current` would raise inside of offers that run now: at once, or at an
 * instant at which something of the two documents begins or ends later. `changed`: the paths of the difference, which say which
 * instants matter most if there are many. Compared is what an offer makes of a SKU under the old document, as long as the offer
 * runs there, with the most that one of its players may be asked for under the new document at the same instant. That is
 * - what it makes of the SKU then,
 * - the catalogue's own offer price, if it is gone, ends, leaves the SKU out, or may leave a player out,
 * - what it comes to together with an offer that gets in its way and did not before.
 * Who gets which offers is not known, but for the arms of experiments (arm-moves.ts). So a raise may turn out to meet nobody: then it costs
 * a confirmation. A SKU that is no longer for sale has no price that could be too high. In steps, at least one for each SKU of each
 * running offer.
 */
export function* priceRaiseSteps(
  current: ConfigDocument,
  next: ConfigDocument,
  now: number,
  changed: ReadonlySet<string> = new Set(),
): Steps<PriceRaise[]> {
  const before = yield* pricedDocumentSteps(current, now);
  const after = yield* pricedDocumentSteps(next, now);
  yield* armSteps(before, after);
  const comparison = {
    before,
    after,
    seenNow: offersSeenAt(before, now),
    isUnchangedSku: sameText(priceTexts(current), priceTexts(next)),
    isUnchangedEffect: sameText(effectTexts(current), effectTexts(next)),
    hasNewSkus: skuComparison(),
  };
  const later = comingInstants([current, next], now, { changed }).instants.map(({ atMs }) => atMs);
  const raises = new RaiseList(current);
  const isCompared = new Set<string>();
  for (const atMs of [now, ...later]) {
    for (const situation of situationsAt(atMs, comparison)) {
      // The same offers were in force together at an instant before, so the prices are the same.
      if (isCompared.has(situation.key)) continue;
      isCompared.add(situation.key);
      const at = atMs === now ? null : new Date(atMs).toISOString();
      yield* addRaises(situation, comparison, (raise) => raises.add(raise, at));
      if (raises.isFull) return raises.found;
    }
  }
  return raises.found;
}

function* armSteps(before: PricedDocument, after: PricedDocument): Steps<void> {
  const audiences = ({ offers }: PricedDocument) =>
    new Map(offers.map(({ offer, audience }) => [offer.offerId, audience]));
  const [former, present] = [audiences(before), audiences(after)];
  for (const offerId of new Set([...former.keys(), ...present.keys()])) {
    yield* compareArmSteps(former.get(offerId), present.get(offerId));
  }
}

type Comparison = Readonly<{
  before: PricedDocument;
  after: PricedDocument;
  seenNow: ReadonlyMap<string, PricingOffer>;
  isUnchangedSku: (skuId: string) => boolean;
  isUnchangedEffect: (offerId: string) => boolean;
  /** Whether an offer is about SKUs that it was not about before. */
  hasNewSkus: (offer: PricingOffer, former: PricingOffer) => boolean;
}>;

/** A running offer, and what becomes of it at an instant. */
type Situation = Readonly<{
  running: PricingOffer;
  /** The same offer of the new document; null if a player may be without it. */
  successor: PricingOffer | null;
  conflicts: readonly ConflictingOffer[];
  /** Tells all of this apart. */
  key: string;
}>;

function situationsAt(atMs: number, { before, after, seenNow, hasNewSkus }: Comparison): Situation[] {
  const [former, present] = [offersAt(before, atMs), offersAt(after, atMs)];
  const isHeldOutMore = after.holdoutPercent > before.holdoutPercent;
  // Nobody has seen the prices of an offer that begins later, or that is for an arm that nobody is in any more.
  const seen = [...former.values()].filter(
    ({ offer, audience }) => seenNow.has(offer.offerId) && mayApply(audience),
  );
  return seen.map((running) => {
    const { offerId } = running.offer;
    const same = present.get(offerId);
    const isKept = same !== undefined && !isHeldOutMore && !mayLose(running.audience, same.audience);
    if (!isKept) return { running, successor: null, conflicts: [], key: `${offerId}\ngone` };
    const conflicts = conflictsOf(same, running, former, present).filter(
      (each) => each.former === undefined || hasNewSkus(each.running, each.former),
    );
    const names = conflicts.map((each) => `${each.running.offer.offerId} ${each.former === undefined}`);
    return { running, successor: same, conflicts, key: [offerId, 'kept', ...names].join('\n') };
  });
}

type Raise = Readonly<{ offerId: string; skuId: string; price: SkuPrice; from: bigint; to: bigint }>;

function* addRaises(
  { running, successor, conflicts }: Situation,
  { before, after, isUnchangedSku, isUnchangedEffect }: Comparison,
  add: (raise: Raise) => void,
): Steps<void> {
  const { offerId } = running.offer;
  for (const skuId of running.skuIds) {
    yield;
    const mayApply = successor?.skuIds.has(skuId) ? successor : null;
    const chains = mayApply === null ? [[]] : chainsOf(mayApply, conflicts, skuId);
    const isAlone = mayApply !== null && chains.length === 1;
    if (isAlone && isUnchangedEffect(offerId) && isUnchangedSku(skuId)) continue;
    const [sku, skuAfter] = [before.skuOf(skuId), after.skuOf(skuId)];
    if (sku === undefined || skuAfter === undefined) continue;
    for (const raise of raisesOfSku(running.offer, sku, skuAfter, chains)) add({ offerId, skuId, ...raise });
  }
}

/** `chains`: the offers that may apply to the SKU under the new document. */
function raisesOfSku(
  offer: CompiledOffer,
  sku: PricedSku,
  skuAfter: PricedSku,
  chains: readonly (readonly CompiledOffer[])[],
): Pick<Raise, 'price' | 'from' | 'to'>[] {
  const raises: Pick<Raise, 'price' | 'from' | 'to'>[] = [];
  for (const price of sku.skuPrices.values()) {
    const priceAfter = skuAfter.skuPrices.get(price.currency);
    const from = offeredPrice([offer], sku, price);
    if (priceAfter === undefined || from === null) continue;
    let to = from;
    for (const chain of chains) to = larger(to, offeredPrice(chain, skuAfter, priceAfter));
    if (to > from) raises.push({ price, from, to });
  }
  return raises;
}

/** Lists each price once, and again only where it goes up further later. */
class RaiseList {
  readonly found: PriceRaise[] = [];
  readonly #highest = new Map<string, bigint>();
  readonly #pointers: ReadonlyMap<string, string>;

  constructor({ offers }: ConfigDocument) {
    this.#pointers = new Map(offers.map(({ offerId }, index) => [offerId, `/offers/${index}`]));
  }

  get isFull(): boolean {
    return this.found.length === MAX_RAISES;
  }

  add({ offerId, skuId, price: { currency, decimals }, from, to }: Raise, at: string | null): void {
    const key = [offerId, skuId, currency].join('\n');
    if (this.isFull || to <= (this.#highest.get(key) ?? from)) return;
    this.#highest.set(key, to);
    this.found.push({
      offerId,
      skuId,
      currency,
      at,
      from: formatMinorUnits(from, decimals),
      to: formatMinorUnits(to, decimals),
      pointer: this.#pointers.get(offerId) ?? '',
    });
  }
}

type Texts = (id: string) => string | undefined;

/** By SKU, everything that its prices depend on. Most publications change few SKUs, and the others are skipped. */
function priceTexts({ catalogue, store: { largestDiscountPercent } }: ConfigDocument): Texts {
  const entries = new Map(catalogue.map((entry) => [entry.skuId, entry]));
  return (skuId) => {
    const { prices, hidden } = entries.get(skuId) ?? {};
    return prices && JSON.stringify([prices, hidden, largestDiscountPercent]);
  };
}

function effectTexts({ offers }: ConfigDocument): Texts {
  const effects = new Map(offers.map(({ offerId, effect }) => [offerId, effect]));
  return (offerId) => {
    const effect = effects.get(offerId);
    return effect && JSON.stringify([effect.price, effect.visibility]);
  };
}

/** Compares the texts of an id when it is asked about, once. */
function sameText(before: Texts, after: Texts): (id: string) => boolean {
  const known = new Map<string, boolean>();
  return (id) => {
    const isSame = known.get(id) ?? before(id) === after(id);
    known.set(id, isSame);
    return isSame;
  };
}

/** Each offer is compared once: it may be in the way of many others, at many instants. */
function skuComparison(): Comparison['hasNewSkus'] {
  const known = new Map<string, boolean>();
  return ({ offer: { offerId }, skuIds }, former) => {
    const hasNew = known.get(offerId) ?? ![...skuIds].every((skuId) => former.skuIds.has(skuId));
    known.set(offerId, hasNew);
    return hasNew;
  };
}

function larger(a: bigint, b: bigint | null): bigint {
  return b !== null && b > a ? b : a;
}
