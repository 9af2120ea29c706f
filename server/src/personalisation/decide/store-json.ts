import type { RenderedSku, StoreDecision } from './decision.js';

/**
 * The StoreConfig of the player API, without its timestamp. The timestamp differs from player to player as soon as offers
 * depend on what players do; without it, many players have the same text.
 */
export function storeContentJson({ activeSkus, userSpecificPromoId, fallback }: StoreDecision): string {
  const fallbackJson =
    fallback === null
      ? 'null'
      : `{"version":${fallback.version},"activeSkus":${listJson(fallback.activeSkus)},"lastUpdatedTimestamp":${fallback.lastUpdatedTimestamp}}`;
  return `{"activeSkus":${listJson(activeSkus)},"userSpecificPromoId":${JSON.stringify(userSpecificPromoId)},"fallbackConfig":${fallbackJson}}`;
}

/** As it is sent. */
export function stampedJson(contentJson: string, lastUpdatedTimestamp: number): string {
  return `${contentJson.slice(0, -1)},"lastUpdatedTimestamp":${lastUpdatedTimestamp}}`;
}

function listJson(skus: readonly RenderedSku[]): string {
  let json = '[';
  for (const sku of skus) json += json.length === 1 ? sku.json : `,${sku.json}`;
  return `${json}]`;
}
