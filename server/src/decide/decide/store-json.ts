import type { RenderedSku, StoreDecision } from './decision.js';

/** How many SKUs a part of the text has. */
const SKUS_PER_PART = 100;

/**
 * The StoreConfig of the player API, without its timestamp. The timestamp differs from player to player as soon as offers
 * depend on what players do; without it, many players have the same text.
 */
export function storeContentJson(store: StoreDecision): string {
  return [...storeContentParts(store)].join('');
}

/** The same in parts, since the text of a large store has a megabyte. */
export function* storeContentParts(store: StoreDecision): Generator<string, void, void> {
  const { activeSkus, userSpecificPromoId, fallback } = store;
  yield '{"activeSkus":[';
  yield* listParts(activeSkus);
  yield `],"userSpecificPromoId":${JSON.stringify(userSpecificPromoId)},"fallbackConfig":`;
  if (fallback === null) yield 'null}';
  else {
    yield `{"version":${fallback.version},"activeSkus":[`;
    yield* listParts(fallback.activeSkus);
    yield `],"lastUpdatedTimestamp":${fallback.lastUpdatedTimestamp}}}`;
  }
}

/** As it is sent. */
export function stampedJson(contentJson: string, lastUpdatedTimestamp: number): string {
  return `${contentJson.slice(0, -1)},"lastUpdatedTimestamp":${lastUpdatedTimestamp}}`;
}

function* listParts(skus: readonly RenderedSku[]): Generator<string, void, void> {
  for (let first = 0; first < skus.length; first += SKUS_PER_PART) {
    let part = '';
    for (const { json } of skus.slice(first, first + SKUS_PER_PART)) part += part === '' ? json : `,${json}`;
    yield first === 0 ? part : `,${part}`;
  }
}
