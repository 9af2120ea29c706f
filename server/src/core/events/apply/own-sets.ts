import type { OwnDefinition } from '../../../decide/own-attributes/own-definition.js';
import { type OwnSet, ownSet } from '../../../decide/own-attributes/own-state.js';
import { type Client, query } from '../../../platform/db/pool.js';
import { createFifoMap, type FifoMap } from '../../../platform/lib/fifo-map.js';

/** A version of the own attributes of a game. */
export type OwnSetId = Readonly<{ gameId: number; version: number }>;

/** Sets never change, so a connection keeps those that it has read. */
const kept = new WeakMap<Client, FifoMap<string, OwnSet>>();
const MAX_KEPT = 200;

/** The sets by `setKey`. Only those that the connection has not met before are read. */
export async function findOwnSets(
  client: Client,
  ids: readonly OwnSetId[],
): Promise<ReadonlyMap<string, OwnSet>> {
  const sets = new Map<string, OwnSet>();
  if (ids.length === 0) return sets;
  let ofClient = kept.get(client);
  if (ofClient === undefined) {
    ofClient = createFifoMap();
    kept.set(client, ofClient);
  }
  for (const id of ids) {
    const key = setKey(id);
    if (sets.has(key)) continue;
    const set = ofClient.get(key) ?? (await findOwnSet(client, id));
    sets.set(key, set);
    ofClient.set(key, set);
    const oldest = ofClient.oldest();
    if (ofClient.size > MAX_KEPT && oldest !== undefined) ofClient.delete(oldest[0]);
  }
  return sets;
}

export function setKey({ gameId, version }: OwnSetId): string {
  return `${gameId} ${version}`;
}

async function findOwnSet(client: Client, { gameId, version }: OwnSetId): Promise<OwnSet> {
  const rows = await query<{ definitions: OwnDefinition[] }>(
    client,
    {
      name: 'find_own_set',
      text: 'select definitions from own_attribute_sets where game_id = $1 and version = $2',
    },
    [gameId, version],
  );
  return ownSet(rows[0]?.definitions ?? []);
}
