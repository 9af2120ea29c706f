import { type Client, query } from '../../db/pool.js';
import { generationOf, previousGeneration } from './identity-generations.js';

/** An event as far as deciding whether it is new goes. */
export type IdentifiedEvent = {
  playerId: string;
  identity: string;
  occurredAtMs: number;
  receivedAtMs: number;
  clockSuspect: boolean;
};

/** An event is received at most this long before its own time, or its clock is suspect. */
const MOST_AHEAD_MS = 3_600_000;
/** The clocks of two nodes differ by less. */
const MOST_SKEW_MS = 86_400_000;
/** Before every generation. */
const ALWAYS = '0001-01-01';

/**
 * Remembers identities and returns which of them were new; of copies the first is. The players must be locked.
 *
 * An identity is stored in the generation of its receipt. An event cannot have been received before it happened, so older
 * generations are searched only as far back as its own time, and always the previous one: a client may change the timestamp of
 * an event that it has named. Newer ones are searched for an event that waited in a queue.
 */
export async function insertIdentities(
  client: Client,
  events: readonly IdentifiedEvent[],
): Promise<boolean[]> {
  const rows = await query<{ places: string[] | null }>(client, INSERT_IDENTITIES, [
    identitiesJson(events),
    events.length,
  ]);
  const places = rows[0]?.places ?? null;
  if (places === null) return events.map(() => true);
  const isNew = events.map(() => false);
  for (const place of places) isNew[Number(place)] = true;
  return isNew;
}

const INSERT_IDENTITIES = {
  name: 'insert_identities',
  text: `
    with incoming as materialized (
      select b.player_id, b.generation, b.since, b.until, e.identity::uuid as identity, b.place + e.number - 1 as place
      from jsonb_to_recordset($1::jsonb)
        as b(player_id bigint, generation date, since date, until date, place integer, identities jsonb)
      cross join lateral jsonb_array_elements_text(b.identities) with ordinality as e(identity, number)
    ), fresh as (
      insert into event_identities (generation, player_id, identity)
      select e.generation, e.player_id, e.identity
      from incoming e
      -- the other generations; the index decides within its own. Two look-ups, because PostgreSQL leaves out partitions for a
      -- range and not for two. offset 0: looked up one by one, whatever the planner guesses
      left join lateral (
        select true as is_known from event_identities k
        where k.player_id = e.player_id and k.identity = e.identity and k.generation >= e.since
          and k.generation < e.generation
        limit 1 offset 0
      ) older on true
      left join lateral (
        select true as is_known from event_identities k
        where k.player_id = e.player_id and k.identity = e.identity and k.generation > e.generation
          and k.generation <= e.until
        limit 1 offset 0
      ) newer on true
      where older.is_known is null and newer.is_known is null
      order by e.player_id, e.identity
      on conflict do nothing
      returning player_id, identity
    )
    -- nearly always all of them: then the places are not needed
    select case when count(*) < $2 then array(
      select min(e.place) from fresh f join incoming e using (player_id, identity) group by player_id, identity
    ) end as places
    from fresh`,
};

type IdentityRow = {
  player_id: string;
  generation: string;
  /** The first and the last generation to search. */
  since: string;
  until: string;
  place: number;
  identities: string[];
};

/** One row for the events of a player that follow each other: they nearly always share their generations. */
function identitiesJson(events: readonly IdentifiedEvent[]): string {
  const rows: IdentityRow[] = [];
  const newest = generationOf(Date.now() + MOST_SKEW_MS);
  let row: IdentityRow | undefined;
  for (const [place, event] of events.entries()) {
    const generation = generationOf(event.receivedAtMs);
    const since = searchedSince(event);
    if (row?.player_id !== event.playerId || row.generation !== generation) {
      // Texts, in the order of time. A clock that is ahead may have put it beyond the newest.
      let until = newest;
      if (generation > newest) until = generation;
      row = { player_id: event.playerId, generation, since, until, place, identities: [] };
      rows.push(row);
    }
    if (since < row.since) row.since = since;
    row.identities.push(event.identity);
  }
  return JSON.stringify(rows);
}

function searchedSince({ occurredAtMs, receivedAtMs, clockSuspect }: IdentifiedEvent): string {
  if (clockSuspect) return ALWAYS;
  const previous = previousGeneration(receivedAtMs);
  const own = generationOf(occurredAtMs - MOST_AHEAD_MS);
  // Texts, in the order of time.
  if (own < previous) return own;
  return previous;
}
