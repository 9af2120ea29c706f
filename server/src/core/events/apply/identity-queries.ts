import { type Call, type Client, query } from '../../../platform/db/pool.js';
import { utcDay } from '../../../platform/lib/day.js';
import { generationOf, previousGeneration } from '../storage/identity-generations.js';

/** An event as far as deciding whether it is new goes. */
export type IdentifiedEvent = {
  playerId: string;
  /** 128 bits in hex. */
  identity: string;
  occurredAtMs: number;
  receivedAtMs: number;
  clockSuspect: boolean;
};

/** An event is received at most this long before its own time, or its clock is suspect. */
const MOST_AHEAD_MS = 3_600_000;
/** Before every generation. */
const ALWAYS = '0001-01-01';

/** PostgreSQL compares each key of a search with all others first, so a thousand are not searched for at once. */
const KEYS_PER_SEARCH = 64;

/**
 * Tells for each event whether it was stored before or is a copy of an earlier one in the list. The players must be locked.
 *
 * An identity is stored in the generation of its receipt. An event cannot have been received before it happened, so older
 * generations are searched only as far back as its own time, and always the previous one: a client may change the timestamp of
 * an event that it has named. Newer ones are searched for an event that waited in a queue.
 */
export async function findIdentities(client: Client, events: readonly IdentifiedEvent[]): Promise<boolean[]> {
  const keyOf = identityKeys();
  const keys = events.map(keyOf);
  const searches = searchesFor(events, keys);
  const known = new Set(
    await query<{ key: string }>(client, FIND_IDENTITIES, [
      searches.map(({ keys: wanted }) => arrayText(wanted)),
      searches.map(({ since }) => since),
      newestReceipt(events),
    ]).then((rows) => rows.map(({ key }) => key)),
  );
  return keys.map((key) => {
    const isKnown = known.has(key);
    known.add(key);
    return isKnown;
  });
}

const FIND_IDENTITIES = {
  name: 'find_identities',
  text: `
    select replace(k.identity::text, '-', '') as key
    from unnest($1::text[], $2::date[]) as t(keys, since)
    -- offset 0: read as keys once, and one search after the other by the index, whatever the planner guesses
    cross join lateral (select t.keys::uuid[] as keys, t.since offset 0) w
    cross join lateral (
      select s.identity
      from event_identities i
      cross join lateral unnest(i.identities) as s(identity)
      where i.identities && w.keys and i.generation >= w.since and i.generation <= greatest($3::date, (now() at time zone 'UTC')::date + 1)
        and s.identity = any (w.keys)
      offset 0
    ) k`,
};

/**
 * Remembers the identities of events that are new: one row for those of a player that were received together. `rememberedAtMs`: the
 * time from which they are remembered, should it not be that of their receipt.
 */
export function insertIdentities(events: readonly IdentifiedEvent[], rememberedAtMs?: number): Call {
  const keyOf = identityKeys();
  const rows = new Map<string, { playerId: string; generation: string; keys: string[] }>();
  for (const event of events) {
    const generation = generationOf(rememberedAtMs ?? event.receivedAtMs);
    const name = `${event.playerId} ${generation}`;
    const row = rows.get(name);
    if (row === undefined) rows.set(name, { playerId: event.playerId, generation, keys: [keyOf(event)] });
    else row.keys.push(keyOf(event));
  }
  const stored = [...rows.values()];
  return {
    statement: {
      name: 'insert_identities',
      text: `insert into event_identities (generation, player_id, identities)
             select generation, player_id, keys::uuid[]
             from unnest($1::date[], $2::bigint[], $3::text[]) as r(generation, player_id, keys)`,
    },
    values: [
      stored.map(({ generation }) => generation),
      stored.map(({ playerId }) => playerId),
      stored.map(({ keys }) => arrayText(keys)),
    ],
  };
}

/**
 * What the index holds for an event: the player's id, so that the keys of a player lie side by side, and 64 bits of the
 * identity. Two of a million events of one player have the same ones once in forty million such players.
 */
function identityKeys(): (event: IdentifiedEvent) => string {
  let lastId = '';
  let prefix = '';
  return ({ playerId, identity }) => {
    if (playerId !== lastId) {
      lastId = playerId;
      prefix = BigInt(playerId).toString(16).padStart(16, '0');
    }
    return prefix + identity.slice(0, 16);
  };
}

/** The first generation to search, and what for. */
type Search = { since: string; keys: string[] };

function searchesFor(events: readonly IdentifiedEvent[], keys: readonly string[]): Search[] {
  const searches: Search[] = [];
  let search: Search | undefined;
  for (const [index, event] of events.entries()) {
    const since = searchedSince(event);
    if (search === undefined || search.since !== since || search.keys.length === KEYS_PER_SEARCH) {
      search = { since, keys: [] };
      searches.push(search);
    }
    search.keys.push(keys[index] as string);
  }
  return searches;
}

function searchedSince({ occurredAtMs, receivedAtMs, clockSuspect }: IdentifiedEvent): string {
  if (clockSuspect) return ALWAYS;
  const previous = previousGeneration(receivedAtMs);
  const own = generationOf(occurredAtMs - MOST_AHEAD_MS);
  // Texts, in the order of time.
  return own < previous ? own : previous;
}

/** Generations are searched up to this day, and in any case up to tomorrow: the clock of another node may have been ahead. */
function newestReceipt(events: readonly IdentifiedEvent[]): string {
  let newestMs = 0;
  for (const { receivedAtMs } of events) if (receivedAtMs > newestMs) newestMs = receivedAtMs;
  return utcDay(newestMs);
}

function arrayText(keys: readonly string[]): string {
  return `{${keys.join(',')}}`;
}
