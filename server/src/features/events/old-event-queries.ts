import { type Client, query } from '../../db/pool.js';
import type { EventRecord } from './event-record.js';

/**
 * Which events are stored in the former layout, where an unnamed event is found by its time and a named one by its name.
 * Events are moved into blocks in the background, each together with its identity: an event that is no longer found here is
 * found there.
 */
export async function findOldEvents(client: Client, records: readonly EventRecord[]): Promise<boolean[]> {
  const rows = await query<{ place: number }>(client, FIND_OLD_EVENTS, [
    JSON.stringify(
      records.map(({ playerId, identity, occurredAt, eventId }) => ({
        player_id: playerId,
        identity,
        occurred_at: occurredAt,
        is_named: eventId !== null,
      })),
    ),
  ]);
  const isOld = records.map(() => false);
  for (const { place } of rows) isOld[place] = true;
  return isOld;
}

const FIND_OLD_EVENTS = {
  name: 'find_old_events',
  text: `
    select (e.place - 1)::integer as place
    from rows from (jsonb_to_recordset($1::jsonb) as (
      player_id bigint, identity uuid, occurred_at timestamptz, is_named boolean
    )) with ordinality as e(player_id, identity, occurred_at, is_named, place)
    left join lateral (
      select true as is_known from old_event_names n
      where e.is_named and n.player_id = e.player_id and n.identity = e.identity offset 0
    ) n on true
    left join lateral (
      select true as is_known from old_events o
      where not e.is_named and o.occurred_at = e.occurred_at and o.player_id = e.player_id and o.identity = e.identity
      offset 0
    ) o on true
    where n.is_known or o.is_known`,
};
