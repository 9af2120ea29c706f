import type { PlayerFacts } from '../attributes/player-facts.js';
import { tailJson } from '../compile/compile-catalogue.js';
import type { CompiledBook, CompiledDocument, CompiledSku, SkuText } from '../compile/compiled-document.js';
import { localeChain } from '../document/locales.js';
import { formatMinorUnits } from '../document/prices.js';
import type { RenderedSku } from './decision.js';
import { promotionOf, type SkuChange } from './sku-change.js';

/** A SKU that is for sale now, in the language and currency of one player. */
export type ShelfItem = Readonly<{ sku: CompiledSku; text: SkuText; book: CompiledBook }>;

/** The SKUs for sale now by their index, null for those whose time has not come or is over. */
export function stockShelf(
  { skus, locales }: CompiledDocument,
  facts: PlayerFacts,
  now: number,
): (ShelfItem | null)[] {
  const chain = localeChain(facts.profile.locale?.v, locales);
  const currency = currencyOf(facts);
  return skus.map((sku) =>
    sku.from <= now && now < sku.until
      ? { sku, text: textOf(sku, chain), book: sku.books.get(currency) ?? sku.defaultBook }
      : null,
  );
}

function textOf(sku: CompiledSku, chain: readonly string[]): SkuText {
  for (const locale of chain) {
    const text = sku.texts.get(locale);
    if (text !== undefined) return text;
  }
  return sku.defaultText;
}

/** The last that an event named in its metadata, else that of the last purchase; empty if unknown. */
function currencyOf({ profile: { currency, paidCurrency } }: PlayerFacts): string {
  return (currency ?? paidCurrency)?.v ?? '';
}

/** By the text and the book, which are of one SKU each. */
const untargeted = new WeakMap<SkuText, WeakMap<CompiledBook, RenderedSku>>();

/** The same object for all players who see the SKU alike: what is worked out from it need not be worked out again. */
export function renderUntargeted(item: ShelfItem): RenderedSku {
  let byBook = untargeted.get(item.text);
  if (byBook === undefined) {
    byBook = new WeakMap();
    untargeted.set(item.text, byBook);
  }
  let rendered = byBook.get(item.book);
  if (rendered === undefined) {
    rendered = asInCatalogue(item);
    byBook.set(item.book, rendered);
  }
  return rendered;
}

function asInCatalogue({ sku, text, book }: ShelfItem): RenderedSku {
  return {
    skuId: sku.skuId,
    name: text.name,
    description: text.description,
    actualPrice: book.actualText,
    offerPrice: book.offerText,
    currency: book.currency,
    assets: sku.assets,
    json: text.headJson + book.tailJson,
  };
}

export function renderTargeted({ sku, text, book }: ShelfItem, change: SkuChange): RenderedSku {
  const offerPrice = formatMinorUnits(change.price, book.decimals);
  const { promoId = null, promoJson } = promotionOf(change) ?? {};
  let { assets, assetsJson } = sku;
  for (const { badges, badgesJson } of change.badged) {
    assets = [...assets, ...badges];
    assetsJson = assetsJson === '' ? badgesJson : `${assetsJson},${badgesJson}`;
  }
  return {
    skuId: sku.skuId,
    name: text.name,
    description: text.description,
    actualPrice: book.actualText,
    offerPrice,
    currency: book.currency,
    assets,
    ...(promoId === null ? {} : { promoId }),
    json: text.headJson + tailJson(book.actualText, offerPrice, book.currency, assetsJson, promoJson),
  };
}
