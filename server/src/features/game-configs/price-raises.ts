import type { Steps } from '../../lib/steps.js';
import type {
  CompiledOffer,
  CompiledSku,
  CompiledSkuPrice,
} from '../../personalisation/compile/compiled-document.js';
import { applyOffer, type SkuChange } from '../../personalisation/decide/sku-change.js';
import { comingInstants } from '../../personalisation/document/coming-instants.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { formatMinorUnits } from '../../personalisation/document/prices.js';
import { mayLose } from './offer-audience.js';
import { chainsOf, conflictsOf } from './offer-conflicts.js';
import { offersAt, type PricedDocument, type PricingOffer, pricedDocumentSteps } from './priced-document.js';

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
 * Who gets which offers is not known, so a raise may turn out to meet nobody: then it costs a confirmation. A SKU that is
 * no longer for sale has no price that could be too high. In steps, at least one for each SKU of each running offer.
 */
export function* priceRaiseSteps(
  current: ConfigDocument,
  next: ConfigDocument,
  now: number,
  changed: ReadonlySet<string> = new Set(),
): Steps<PriceRaise[]> {
  const before = yield* pricedDocumentSteps(current, now);
  const after = yield* pricedDocumentSteps(next, now);
  const comparison = {
    before,
    after,
    runningNow: offersAt(before, now),
    isUnchangedSku: sameText(pricesOf(current), pricesOf(next)),
    isUnchangedEffect: sameText(effectsOf(current), effectsOf(next)),
  };
  const raises = new RaiseList(current);
  yield* addRaisesAt(now, comparison, (raise) => raises.add(raise, null));
  for (const { atMs } of comingInstants([current, next], now, { changed }).instants) {
    yield* addRaisesAt(atMs, comparison, (raise) => raises.add(raise, new Date(atMs).toISOString()));
  }
  return raises.found;
}

type Comparison = Readonly<{
  before: PricedDocument;
  after: PricedDocument;
  runningNow: ReadonlyMap<string, PricingOffer>;
  isUnchangedSku: (skuId: string) => boolean;
  isUnchangedEffect: (offerId: string) => boolean;
}>;

type Raise = Readonly<{ offerId: string; skuId: string; price: CompiledSkuPrice; from: bigint; to: bigint }>;
/** Returns false if no more raises are wanted. */
type AddRaise = (raise: Raise) => boolean;

function* addRaisesAt(atMs: number, comparison: Comparison, add: AddRaise): Steps<void> {
  const [before, after] = [offersAt(comparison.before, atMs), offersAt(comparison.after, atMs)];
  for (const [offerId, running] of before) {
    // Nobody has seen the prices of an offer that begins later.
    if (!comparison.runningNow.has(offerId)) continue;
    for (const raise of yield* raisesOf(running, before, after, comparison)) if (!add(raise)) return;
  }
}

function* raisesOf(
  running: PricingOffer,
  before: ReadonlyMap<string, PricingOffer>,
  after: ReadonlyMap<string, PricingOffer>,
  comparison: Comparison,
): Steps<Raise[]> {
  const { offerId } = running.offer;
  const successor = after.get(offerId);
  const isHeldOutMore = comparison.after.holdoutPercent > comparison.before.holdoutPercent;
  const isKept = successor !== undefined && !isHeldOutMore && !mayLose(running.audience, successor.audience);
  const conflicts = isKept ? conflictsOf(successor, running, before, after) : [];
  const raises: Raise[] = [];
  for (const sku of running.skus.values()) {
    yield;
    const skuAfter = comparison.after.skus.get(sku.skuId);
    if (skuAfter === undefined) continue;
    const mayApply = isKept && successor.skus.has(sku.skuId) ? successor : null;
    const chains = mayApply === null ? [[]] : chainsOf(mayApply, conflicts, sku.skuId);
    const isAlone = mayApply !== null && chains.length === 1;
    if (isAlone && comparison.isUnchangedEffect(offerId) && comparison.isUnchangedSku(sku.skuId)) continue;
    raises.push(...raisesOfSku(running.offer, sku, skuAfter, chains));
  }
  return raises;
}

/** `chains`: the offers that may apply to the SKU under the new document. */
function raisesOfSku(
  offer: CompiledOffer,
  sku: CompiledSku,
  skuAfter: CompiledSku,
  chains: readonly (readonly CompiledOffer[])[],
): Raise[] {
  return [...sku.skuPrices.values()].flatMap((price) => {
    const priceAfter = skuAfter.skuPrices.get(price.currency);
    const from = priceBy([offer], sku, price);
    if (priceAfter === undefined || from === null) return [];
    const to = chains.reduce((most, chain) => larger(most, priceBy(chain, skuAfter, priceAfter)), from);
    return to === from ? [] : [{ offerId: offer.offerId, skuId: sku.skuId, price, from, to }];
  });
}

/** Lists each price once, and again only where it goes up further later. */
class RaiseList {
  readonly found: PriceRaise[] = [];
  readonly #highest = new Map<string, bigint>();
  readonly #pointers: ReadonlyMap<string, string>;

  constructor({ offers }: ConfigDocument) {
    this.#pointers = new Map(offers.map(({ offerId }, index) => [offerId, `/offers/${index}`]));
  }

  add({ offerId, skuId, price: { currency, decimals }, from, to }: Raise, at: string | null): boolean {
    const key = [offerId, skuId, currency].join('\n');
    if (to <= (this.#highest.get(key) ?? from)) return true;
    if (this.found.length === MAX_RAISES) return false;
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
    return true;
  }
}

/** By SKU, everything that its prices depend on. Most publications change few SKUs, and the others are skipped. */
function pricesOf({ catalogue, store }: ConfigDocument): Map<string, string> {
  return new Map(
    catalogue.map(({ skuId, prices, hidden }) => [
      skuId,
      JSON.stringify([prices, hidden, store.largestDiscountPercent]),
    ]),
  );
}

function effectsOf({ offers }: ConfigDocument): Map<string, string> {
  return new Map(
    offers.map(({ offerId, effect }) => [offerId, JSON.stringify([effect.price, effect.visibility])]),
  );
}

function sameText(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  return (id: string) => before.get(id) === after.get(id);
}

/** The price that offers give a SKU; null if no player sees it. */
function priceBy(
  offers: readonly CompiledOffer[],
  sku: CompiledSku,
  skuPrice: CompiledSkuPrice,
): bigint | null {
  let change: SkuChange | undefined;
  for (const offer of offers) {
    change = applyOffer(offer, { sku, text: sku.defaultText, skuPrice }, change, false);
  }
  const isVisible = change?.isVisible ?? !sku.hidden;
  return isVisible ? (change?.price ?? skuPrice.offer) : null;
}

function larger(a: bigint, b: bigint | null): bigint {
  return b !== null && b > a ? b : a;
}
