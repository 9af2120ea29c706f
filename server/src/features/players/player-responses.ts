import { createHash } from 'node:crypto';
import type { Decision, StoreDecision } from '../../personalisation/decide/decision.js';
import { stampedJson, storeContentJson } from '../../personalisation/decide/store-json.js';

/** What a player is told, as the texts that are sent. */
export type PlayerResponses = Readonly<{
  statusJson: string;
  segmentsJson: string;
  segmentsEtag: string;
  store: RenderedStore;
  lastUpdatedTimestamp: number;
  /** Nothing changes before this instant, in epoch milliseconds, unless the row or the configuration does. */
  validUntil: number;
}>;

/** A store without its timestamp. Many players may have the same one: equal `key`s mean equal stores. */
export type RenderedStore = Readonly<{ key: string; json: string; digest: string }>;

/**
 * `toRendered` may return the same text for many players: a thousand players with one store then need the memory of one
 * store.
 */
export function renderResponses(
  userId: string,
  decision: Decision,
  toRendered: (store: StoreDecision) => RenderedStore,
): PlayerResponses {
  const listed = decision.segments
    .filter(({ visibleToClients }) => visibleToClients)
    .map(({ segmentId, name, version }) => ({ segmentId, name, version }));
  const segmentsJson = JSON.stringify(listed);
  return {
    statusJson: JSON.stringify(decision.flags),
    segmentsJson,
    // Weak: `asOf` differs from response to response while nothing else does.
    segmentsEtag: `W/"${digestOf(userId + segmentsJson)}"`,
    store: toRendered(decision.store),
    lastUpdatedTimestamp: decision.store.lastUpdatedTimestamp,
    validUntil: decision.validUntil,
  };
}

export function renderStore(store: StoreDecision, key = ''): RenderedStore {
  const json = storeContentJson(store);
  return { key, json, digest: digestOf(json) };
}

type Stamped = Pick<PlayerResponses, 'store' | 'lastUpdatedTimestamp'>;

/** The StoreConfig as it is sent. */
export function storeText({ store, lastUpdatedTimestamp }: Stamped): string {
  return stampedJson(store.json, lastUpdatedTimestamp);
}

export function storeEtag({ store, lastUpdatedTimestamp }: Stamped): string {
  return `"${store.digest}-${lastUpdatedTimestamp.toString(36)}"`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
