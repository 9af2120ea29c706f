import { tailJson } from '../compile/compile-catalogue.js';
import type { CompiledBook, SkuText } from '../compile/compiled-document.js';
import { formatMinorUnits } from '../document/prices.js';
import type { AvailableSku } from './available-skus.js';
import type { RenderedSku } from './decision.js';
import { promotionOf, type SkuChange } from './sku-change.js';

/** By the text and the book, which are of one SKU each. */
const untargeted = new WeakMap<SkuText, WeakMap<CompiledBook, RenderedSku>>();

/** The same object for all players who see the SKU alike: what is worked out from it need not be worked out again. */
export function renderUntargeted(item: AvailableSku): RenderedSku {
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

function asInCatalogue({ sku, text, book }: AvailableSku): RenderedSku {
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

export function renderTargeted({ sku, text, book }: AvailableSku, change: SkuChange): RenderedSku {
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
