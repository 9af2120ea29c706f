import type { Steps } from '../../lib/steps.js';
import { compilationSteps } from '../../personalisation/compile/compile-document.js';
import type {
  CompiledDocument,
  CompiledOffer,
  CompiledSku,
  CompiledSkuPrice,
} from '../../personalisation/compile/compiled-document.js';
import { applyOffer, type SkuChange } from '../../personalisation/decide/sku-change.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { formatMinorUnits } from '../../personalisation/document/prices.js';
import { type Audience, audienceReader, mayLose } from './offer-audience.js';

/** A price that players of a running offer see today and that a publication would raise. */
export type PriceRaise = Readonly<{
  offerId: string;
  skuId: string;
  currency: string;
  from: string;
  to: string;
  /** JSON pointer into the old document: the offer may not be in the new one. */
  pointer: string;
}>;

/** More than a person reads before confirming them. */
const MAX_RAISES = 1_000;

/**
 * The first thousand of the prices that publishing `next` over `current` would raise inside of offers that run now: what an offer makes of a SKU
 * today against the most that one of its players may be asked for then. That is
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
): Steps<PriceRaise[]> {
  const before = yield* sideOf(current, now);
  const after = yield* sideOf(next, now);
  const isHeldOutMore = after.document.holdoutPercent > before.document.holdoutPercent;
  const isUnchangedSku = sameText(pricesOf(current), pricesOf(next));
  const isUnchangedEffect = sameText(effectsOf(current), effectsOf(next));
  const pointers = new Map(current.offers.map(({ offerId }, index) => [offerId, `/offers/${index}`]));

  const raises: PriceRaise[] = [];
  for (const running of before.runningOffers.values()) {
    const { offerId } = running.offer;
    const successor = after.runningOffers.get(offerId);
    const isKept =
      successor !== undefined && !isHeldOutMore && !mayLose(running.audience, successor.audience);
    const conflicts = isKept ? conflictsOf(successor, running, before, after) : [];
    for (const sku of running.skus.values()) {
      yield;
      const skuAfter = after.skus.get(sku.skuId);
      if (skuAfter === undefined) continue;
      const mayApply = isKept && successor.skus.has(sku.skuId) ? successor : null;
      const chains = mayApply === null ? [[]] : chainsOf(mayApply, conflicts, sku.skuId);
      const isAlone = mayApply !== null && chains.length === 1;
      if (isAlone && isUnchangedEffect(offerId) && isUnchangedSku(sku.skuId)) continue;
      for (const skuPrice of sku.skuPrices.values()) {
        const skuPriceAfter = skuAfter.skuPrices.get(skuPrice.currency);
        const from = priceBy([running.offer], sku, skuPrice);
        if (skuPriceAfter === undefined || from === null) continue;
        let to = from;
        for (const chain of chains) to = larger(to, priceBy(chain, skuAfter, skuPriceAfter));
        if (to === from) continue;
        if (raises.length === MAX_RAISES) return raises;
        raises.push({
          offerId,
          skuId: sku.skuId,
          currency: skuPrice.currency,
          from: formatMinorUnits(from, skuPrice.decimals),
          to: formatMinorUnits(to, skuPrice.decimals),
          pointer: pointers.get(offerId) ?? '',
        });
      }
    }
  }
  return raises;
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

/** An offer that runs now. */
type RunningOffer = Readonly<{
  offer: CompiledOffer;
  position: number;
  audience: Audience;
  /** Those it is about, by their ids. */
  skus: ReadonlyMap<string, CompiledSku>;
}>;

/** One of the two documents. */
type Side = Readonly<{
  document: CompiledDocument;
  skus: ReadonlyMap<string, CompiledSku>;
  runningOffers: ReadonlyMap<string, RunningOffer>;
}>;

function* sideOf(source: ConfigDocument, now: number): Steps<Side> {
  const document = yield* compilationSteps(source, { version: 0, publishedAt: 0 });
  const audienceOf = audienceReader(document);
  const runningOffers = new Map<string, RunningOffer>();
  for (const [position, offer] of document.offers.entries()) {
    if (!isRunning(offer, now)) continue;
    const about = offer.skus.flatMap((index) => document.skus[index] ?? []);
    const skus = new Map(about.map((sku) => [sku.skuId, sku]));
    runningOffers.set(offer.offerId, { offer, position, audience: audienceOf(offer), skus });
    yield;
  }
  return { document, skus: new Map(document.skus.map((sku) => [sku.skuId, sku])), runningOffers };
}

function isRunning({ from, until, sharePercent }: CompiledOffer, now: number): boolean {
  return from <= now && now < until && sharePercent > 0;
}

/** An offer that conflicts with another one, and where it did so before, if it did. */
type ConflictingOffer = Readonly<{ running: RunningOffer; former: RunningOffer | undefined }>;

/** The offers that may raise the price of a SKU when they apply together with `successor`. */
function conflictsOf(
  successor: RunningOffer,
  running: RunningOffer,
  before: Side,
  after: Side,
): ConflictingOffer[] {
  const conflicts: ConflictingOffer[] = [];
  for (const other of after.runningOffers.values()) {
    if (other === successor || !isInTheWay(other, successor)) continue;
    const former = before.runningOffers.get(other.offer.offerId);
    const wasThere =
      former !== undefined &&
      isInTheWay(former, running) &&
      former.position < running.position === other.position < successor.position &&
      former.offer.combine === other.offer.combine &&
      running.offer.combine === successor.offer.combine &&
      // Players who had both offers before have seen that price; the offer is also checked by itself.
      !mayLose(other.audience, former.audience);
    conflicts.push({ running: other, former: wasThere ? former : undefined });
  }
  return conflicts;
}

/**
 * Of two offers that do not combine the first wins. Where both apply, discounts only lower a price, but a set price may raise
 * it.
 */
function isInTheWay({ offer, position }: RunningOffer, other: RunningOffer): boolean {
  if (!offer.combine && !other.offer.combine) return position < other.position;
  return offer.setTo !== null;
}

/** A SKU seldom has more offers at once. Beyond that number, the catalogue's price is assumed for all of them. */
const MAX_CONFLICTS = 4;

/** The offers that a player of `successor` may get for a SKU, in order; each list is one combination. */
function chainsOf(
  successor: RunningOffer,
  conflicts: readonly ConflictingOffer[],
  skuId: string,
): CompiledOffer[][] {
  const chains = [[successor.offer]];
  for (const { running, former } of conflicts) {
    if (!running.skus.has(skuId) || former?.skus.has(skuId) === true) continue;
    if (chains.length > MAX_CONFLICTS) return [...chains, []];
    chains.push(
      running.position < successor.position
        ? [running.offer, successor.offer]
        : [successor.offer, running.offer],
    );
  }
  return chains;
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
