import type { StoreDecision } from '../../decide/decide/decision.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import type { Steps } from '../../platform/lib/steps.js';
import { type PlayerResponses, type RenderedStore, storeSteps } from './player-responses.js';
import { createStoreKeys } from './store-keys.js';

/** The responses of a player, and the versions they were derived from. */
export type CachedResponses = Readonly<{
  rowVersion: string;
  configVersion: number;
  /** Null where no rule asks for a prediction. */
  predictionsVersion: number | null;
  decidedAt: number;
  responses: PlayerResponses;
}>;

export type ResponseCache = {
  get(playerId: string): CachedResponses | undefined;
  set(playerId: string, cached: CachedResponses): void;
  /** The one rendered store with this content. */
  share(store: StoreDecision): Steps<RenderedStore>;
  readonly bytes: number;
};

/** What the maps and objects of one player need, roughly. */
const ENTRY_BYTES = 400;
/** Strings that are not plain ASCII take two bytes a character. */
const BYTES_PER_CHARACTER = 2;

/**
 * Caches responses. The oldest are dropped when there are more than `maxBytes`. A store counts once, however many players
 * share it, and is dropped with the last of them.
 */
export function createResponseCache(maxBytes: number): ResponseCache {
  const byPlayer = createFifoMap<string, CachedResponses>();
  const stores = new Map<string, { store: RenderedStore; players: number }>();
  const keyOf = createStoreKeys();
  let bytes = 0;

  const remove = (playerId: string, { responses }: CachedResponses): void => {
    byPlayer.delete(playerId);
    bytes -= ownBytes(responses);
    const shared = stores.get(responses.store.key);
    if (shared === undefined || --shared.players > 0) return;
    stores.delete(responses.store.key);
    bytes -= bytesOf(responses.store.json);
  };

  return {
    get: (playerId) => byPlayer.get(playerId),
    set(playerId, cached) {
      const { store } = cached.responses;
      const shared = stores.get(store.key);
      if (shared === undefined) {
        stores.set(store.key, { store, players: 1 });
        bytes += bytesOf(store.json);
      } else shared.players++;
      bytes += ownBytes(cached.responses);
      const former = byPlayer.get(playerId);
      if (former !== undefined) remove(playerId, former);
      byPlayer.set(playerId, cached);
      // The newest entry stays, whatever its size.
      while (bytes > maxBytes && byPlayer.size > 1) {
        const oldest = byPlayer.oldest();
        if (oldest !== undefined) remove(...oldest);
      }
    },
    *share(store) {
      const key = yield* keyOf(store);
      return stores.get(key)?.store ?? (yield* storeSteps(store, key));
    },
    get bytes() {
      return bytes;
    },
  };
}

/** All but the store, which may be shared. */
function ownBytes({ statusJson, segmentsJson, values, experiments }: PlayerResponses): number {
  const { forClients, forServers } = values;
  const ofValues = forServers === null ? 0 : bytesOf(forServers.json);
  // Where all values are for clients, both are the same text.
  const ofClients = forClients === null || forClients === forServers ? 0 : bytesOf(forClients.json);
  const texts = bytesOf(statusJson) + bytesOf(segmentsJson) + bytesOf(experiments.json);
  return ENTRY_BYTES + texts + ofValues + ofClients;
}

function bytesOf(text: string): number {
  return text.length * BYTES_PER_CHARACTER;
}
