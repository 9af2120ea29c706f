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
  /** Nothing of it changes before this moment, in epoch milliseconds, unless the row or the configuration does. */
  validUntil: number;
}>;

/** A store without its timestamp, as many players may have it; those with the same `key` are the same. */
export type RenderedStore = Readonly<{ key: string; json: string; digest: string }>;

/** `toRendered` may give the same text to many players: a thousand with one store then cost the memory of one. */
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
