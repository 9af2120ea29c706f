import { tailJson } from '../compile/compile-catalogue.js';
import type { CompiledSkuPrice, SkuText } from '../compile/compiled-document.js';
import type { PriceNote } from '../compile/price-basis.js';
import { formatMinorUnits } from '../document/prices.js';
import type { AvailableSku } from './available-skus.js';
import type { RenderedSku } from './decision.js';
import { promotionOf, type SkuChange } from './sku-change.js';

/** Keyed by the text and the SKU price, which belong to one SKU each. */
const untargeted = new WeakMap<SkuText, WeakMap<CompiledSkuPrice, RenderedSku>>();

/** The same object for all players who see the SKU alike, so that values derived from it are computed once. */
export function renderUntargeted(item: AvailableSku): RenderedSku {
  let bySkuPrice = untargeted.get(item.text);
  if (bySkuPrice === undefined) {
    bySkuPrice = new WeakMap();
    untargeted.set(item.text, bySkuPrice);
  }
  let rendered = bySkuPrice.get(item.skuPrice);
  if (rendered === undefined) {
    rendered = asInCatalogue(item);
    bySkuPrice.set(item.skuPrice, rendered);
  }
  return rendered;
}

function asInCatalogue({ sku, text, skuPrice }: AvailableSku): RenderedSku {
  return {
    skuId: sku.skuId,
    name: text.name,
    description: text.description,
    actualPrice: skuPrice.actualText,
    offerPrice: skuPrice.offerText,
    currency: skuPrice.currency,
    assets: sku.assets,
    ...skuPrice.note?.members,
    json: text.headJson + skuPrice.tailJson,
  };
}

/** The SKU with the lowest price of the 30 days before its reduction, if there is one to tell. */
export function withLowestPrice(sku: RenderedSku, lowestPrice30d: string | null | undefined): RenderedSku {
  if (lowestPrice30d == null) return sku;
  return { ...sku, lowestPrice30d, json: `${sku.json.slice(0, -1)},"lowestPrice30d":${lowestPrice30d}}` };
}

export function renderTargeted(
  { sku, text, skuPrice }: AvailableSku,
  change: SkuChange,
  note: PriceNote | null,
): RenderedSku {
  const offerPrice = formatMinorUnits(change.price, skuPrice.decimals);
  const { promoId = null, promoJson = '' } = promotionOf(change) ?? {};
  const moreJson = promoJson + (note?.json ?? '');
  let { assets, assetsJson } = sku;
  for (const { badges, badgesJson } of change.badged) {
    assets = [...assets, ...badges];
    assetsJson = assetsJson === '' ? badgesJson : `${assetsJson},${badgesJson}`;
  }
  return {
    skuId: sku.skuId,
    name: text.name,
    description: text.description,
    actualPrice: skuPrice.actualText,
    offerPrice,
    currency: skuPrice.currency,
    assets,
    ...(promoId === null ? {} : { promoId }),
    ...note?.members,
    json: text.headJson + tailJson(skuPrice.actualText, offerPrice, skuPrice.currency, assetsJson, moreJson),
  };
}
