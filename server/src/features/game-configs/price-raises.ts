import { compileDocument } from '../../personalisation/compile/compile-document.js';
import type {
  CompiledBook,
  CompiledDocument,
  CompiledOffer,
  CompiledSku,
} from '../../personalisation/compile/compiled-document.js';
import { applyOffer, type SkuChange } from '../../personalisation/decide/sku-change.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { formatMinorUnits } from '../../personalisation/document/prices.js';
import { type Audience, audienceOf, mayLose } from './offer-audience.js';

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

/** More than anybody reads before confirming them. */
const MAX_RAISES = 1_000;

/**
 * The first thousand of the prices that publishing `next` over `current` would raise inside of offers that run now: what an offer makes of a SKU
 * today against the most that one of its players may be asked for then. That is
 * - what it makes of the SKU then,
 * - the catalogue's own offer price, if it is gone, ends, leaves the SKU out, or may leave a player out,
 * - what it comes to together with an offer that gets in its way and did not before.
 * Who gets which offers is not known, so a raise may turn out to meet nobody: then it costs a confirmation. A SKU that is
 * no longer for sale has no price that could be too high.
 */
export function priceRaises(current: ConfigDocument, next: ConfigDocument, now: number): PriceRaise[] {
  const publication = { version: 0, publishedAt: 0 };
  const before = new Side(compileDocument(current, publication), now);
  const after = new Side(compileDocument(next, publication), now);
  const isHeldOutMore = after.document.holdoutPercent > before.document.holdoutPercent;
  const isUnchangedSku = sameText(pricesOf(current), pricesOf(next));
  const isUnchangedEffect = sameText(effectsOf(current), effectsOf(next));
  const pointers = new Map(current.offers.map(({ offerId }, index) => [offerId, `/offers/${index}`]));

  const raises: PriceRaise[] = [];
  for (const runner of before.runners.values()) {
    const { offerId } = runner.offer;
    const heir = after.runners.get(offerId);
    const isKept = heir !== undefined && !isHeldOutMore && !mayLose(runner.audience, heir.audience);
    const intruders = isKept ? intrudersOf(heir, runner, before, after) : [];
    for (const sku of runner.skus.values()) {
      const skuAfter = after.skus.get(sku.skuId);
      if (skuAfter === undefined) continue;
      const mayApply = isKept && heir.skus.has(sku.skuId) ? heir : null;
      const chains = mayApply === null ? [[]] : chainsOf(mayApply, intruders, sku.skuId);
      const isAlone = mayApply !== null && chains.length === 1;
      if (isAlone && isUnchangedEffect(offerId) && isUnchangedSku(sku.skuId)) continue;
      for (const book of sku.books.values()) {
        const bookAfter = skuAfter.books.get(book.currency);
        const from = priceBy([runner.offer], sku, book);
        if (bookAfter === undefined || from === null) continue;
        let to = from;
        for (const chain of chains) to = larger(to, priceBy(chain, skuAfter, bookAfter));
        if (to === from) continue;
        if (raises.length === MAX_RAISES) return raises;
        raises.push({
          offerId,
          skuId: sku.skuId,
          currency: book.currency,
          from: formatMinorUnits(from, book.decimals),
          to: formatMinorUnits(to, book.decimals),
          pointer: pointers.get(offerId) ?? '',
        });
      }
    }
  }
  return raises;
}

/** By SKU, all that prices follow from. Most publications change few of them, and the rest need not be worked out. */
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
type Runner = Readonly<{
  offer: CompiledOffer;
  place: number;
  audience: Audience;
  /** Those it is about, by their ids. */
  skus: ReadonlyMap<string, CompiledSku>;
}>;

/** One of the two documents. */
class Side {
  readonly document: CompiledDocument;
  readonly skus: ReadonlyMap<string, CompiledSku>;
  readonly runners = new Map<string, Runner>();

  constructor(document: CompiledDocument, now: number) {
    this.document = document;
    this.skus = new Map(document.skus.map((sku) => [sku.skuId, sku]));
    for (const [place, offer] of document.offers.entries()) {
      if (!isRunning(offer, now)) continue;
      const about = offer.skus.flatMap((index) => document.skus[index] ?? []);
      const skus = new Map(about.map((sku) => [sku.skuId, sku]));
      this.runners.set(offer.offerId, { offer, place, audience: audienceOf(offer, document), skus });
    }
  }
}

function isRunning({ from, until, sharePercent }: CompiledOffer, now: number): boolean {
  return from <= now && now < until && sharePercent > 0;
}

/** An offer that gets in the way of another, and where it did so before, if it did. */
type Intruder = Readonly<{ runner: Runner; former: Runner | undefined }>;

/** The offers that may make more of a SKU together with `heir` than it does by itself. */
function intrudersOf(heir: Runner, runner: Runner, before: Side, after: Side): Intruder[] {
  const intruders: Intruder[] = [];
  for (const other of after.runners.values()) {
    if (other === heir || !isInTheWay(other, heir)) continue;
    const former = before.runners.get(other.offer.offerId);
    const wasThere =
      former !== undefined &&
      isInTheWay(former, runner) &&
      former.place < runner.place === other.place < heir.place &&
      former.offer.combine === other.offer.combine &&
      runner.offer.combine === heir.offer.combine &&
      // Those whom it met before have known what it makes of the price; it is looked at by itself, too.
      !mayLose(other.audience, former.audience);
    intruders.push({ runner: other, former: wasThere ? former : undefined });
  }
  return intruders;
}

/** Of two that do not combine the first wins. Where both apply, discounts only lower a price, but one that is set does not. */
function isInTheWay({ offer, place }: Runner, other: Runner): boolean {
  if (!offer.combine && !other.offer.combine) return place < other.place;
  return offer.setTo !== null;
}

/** Seldom are there more of a SKU at once; beyond that, the catalogue's price stands for all of them. */
const MAX_INTRUDERS = 4;

/** The offers that a player of `heir` may get for a SKU, in order; each list for itself. */
function chainsOf(heir: Runner, intruders: readonly Intruder[], skuId: string): CompiledOffer[][] {
  const chains = [[heir.offer]];
  for (const { runner, former } of intruders) {
    if (!runner.skus.has(skuId) || former?.skus.has(skuId) === true) continue;
    if (chains.length > MAX_INTRUDERS) return [...chains, []];
    chains.push(runner.place < heir.place ? [runner.offer, heir.offer] : [heir.offer, runner.offer]);
  }
  return chains;
}

/** The price that offers make of a SKU; null if nobody sees it. */
function priceBy(offers: readonly CompiledOffer[], sku: CompiledSku, book: CompiledBook): bigint | null {
  let change: SkuChange | undefined;
  for (const offer of offers) {
    change = applyOffer(offer, { sku, text: sku.defaultText, book }, change, false);
  }
  const isVisible = change?.isVisible ?? !sku.hidden;
  return isVisible ? (change?.price ?? book.offer) : null;
}

function larger(a: bigint, b: bigint | null): bigint {
  return b !== null && b > a ? b : a;
}
