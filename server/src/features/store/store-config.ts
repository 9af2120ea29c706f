import { createHash } from 'node:crypto';
import { formatPrice } from '../../lib/money.js';
import type { CatalogueSku, GameConfig } from '../config/game-config.js';

/** A StoreConfig as the bytes that are sent: worked out once per published version, not once per player. */
export type RenderedStore = Readonly<{ json: string; etag: string }>;

/**
 * The untargeted store of a version. Written as text rather than through JSON.stringify because prices are exact decimal
 * texts with the currency's own number of decimals (5.00, not 5), which a JavaScript number cannot carry.
 */
export function renderStore(config: GameConfig): RenderedStore {
  const skus = `[${config.store.skus
    .filter((sku) => sku.active)
    .map(skuJson)
    .join(',')}]`;
  const fallback = config.store.sendFallback
    ? `{"version":${config.version},"activeSkus":${skus},"lastUpdatedTimestamp":${config.publishedAt}}`
    : 'null';
  const json = `{"activeSkus":${skus},"lastUpdatedTimestamp":${config.publishedAt},"userSpecificPromoId":null,"fallbackConfig":${fallback}}`;
  return Object.freeze({
    json,
    etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`,
  });
}

function skuJson(sku: CatalogueSku): string {
  const { skuId, name, description, currency, assets, active } = sku;
  const head = JSON.stringify({ skuId, name, description }).slice(0, -1);
  const tail = JSON.stringify({ currency, assets, active }).slice(1);
  const actualPrice = formatPrice(sku.actualPrice, currency);
  const offerPrice = formatPrice(sku.offerPrice, currency);
  return `${head},"actualPrice":${actualPrice},"offerPrice":${offerPrice},${tail}`;
}
