import type { RenderedSku, StoreDecision } from './decision.js';

/** The StoreConfig of the player API, as it is sent. */
export function storeJson({
  activeSkus,
  lastUpdatedTimestamp,
  userSpecificPromoId,
  fallback,
}: StoreDecision): string {
  const fallbackJson =
    fallback === null
      ? 'null'
      : `{"version":${fallback.version},"activeSkus":${listJson(fallback.activeSkus)},"lastUpdatedTimestamp":${fallback.lastUpdatedTimestamp}}`;
  return `{"activeSkus":${listJson(activeSkus)},"lastUpdatedTimestamp":${lastUpdatedTimestamp},"userSpecificPromoId":${JSON.stringify(userSpecificPromoId)},"fallbackConfig":${fallbackJson}}`;
}

function listJson(skus: readonly RenderedSku[]): string {
  let json = '[';
  for (const sku of skus) json += json.length === 1 ? sku.json : `,${sku.json}`;
  return `${json}]`;
}
