import { compileDocument } from './compile-document.js';
import type { CompiledBook, CompiledDocument, CompiledOffer, CompiledSku } from './compiled-document.js';
import type { ConfigDocument } from './document.js';
import { formatMinorUnits } from './prices.js';
import { applyOffer } from './sku-change.js';

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

/**
 * The prices that publishing `next` over `current` would raise inside of offers that run now. Each offer is looked at by
 * itself: what it makes of a SKU today against what it makes of it then, or, if it is gone, ends or leaves the SKU out,
 * against the catalogue's own offer price. A SKU that is no longer for sale has no price that could be too high.
 */
export function priceRaises(current: ConfigDocument, next: ConfigDocument, now: number): PriceRaise[] {
  const publication = { version: 0, publishedAt: 0 };
  const before = compileDocument(current, publication);
  const after = compileDocument(next, publication);
  const skusAfter = new Map(after.skus.map((sku) => [sku.skuId, sku]));
  const offersAfter = new Map(after.offers.map((offer) => [offer.offerId, offer]));

  const raises: PriceRaise[] = [];
  for (const offer of before.offers.filter((each) => isRunning(each, now))) {
    const pointer = `/offers/${current.offers.findIndex(({ offerId }) => offerId === offer.offerId)}`;
    const offerAfter = offersAfter.get(offer.offerId);
    const covered = skusOf(offerAfter !== undefined && isRunning(offerAfter, now) ? offerAfter : null, after);
    for (const sku of skusOf(offer, before)) {
      const skuAfter = skusAfter.get(sku.skuId);
      if (skuAfter === undefined) continue;
      const heir = covered.has(skuAfter) ? (offerAfter ?? null) : null;
      for (const book of sku.books.values()) {
        const bookAfter = skuAfter.books.get(book.currency);
        const from = priceBy(offer, sku, book);
        const to = bookAfter === undefined ? null : priceBy(heir, skuAfter, bookAfter);
        if (from === null || to === null || to <= from) continue;
        raises.push({
          offerId: offer.offerId,
          skuId: sku.skuId,
          currency: book.currency,
          from: formatMinorUnits(from, book.decimals),
          to: formatMinorUnits(to, book.decimals),
          pointer,
        });
      }
    }
  }
  return raises;
}

function isRunning({ from, until, sharePercent }: CompiledOffer, now: number): boolean {
  return from <= now && now < until && sharePercent > 0;
}

function skusOf(offer: CompiledOffer | null, { skus }: CompiledDocument): Set<CompiledSku> {
  return new Set(offer?.skus.flatMap((index) => skus[index] ?? []));
}

/** The price an offer by itself makes of a SKU; null if nobody sees it. */
function priceBy(offer: CompiledOffer | null, sku: CompiledSku, book: CompiledBook): bigint | null {
  if (offer === null) return sku.hidden ? null : book.offer;
  const { price, isVisible } = applyOffer(offer, { sku, text: sku.defaultText, book }, undefined, false);
  return isVisible ? price : null;
}
