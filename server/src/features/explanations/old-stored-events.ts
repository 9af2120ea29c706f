import type { Client } from '../../db/pool.js';
import type { CountedEvent } from '../events/event-record.js';
import type { RebuiltPlayer } from './rebuilt-player.js';
import { countedEvent, type StoredEvent } from './stored-event.js';

/** A row of the former layout. */
type OldRow = Omit<StoredEvent, 'payload' | 'metadata'> & { payloadJson: string; metadataJson: string };

const OLD_COLUMNS = `
  replace(e.identity::text, '-', '') as identity, e.event_type as "eventType",
  e.occurred_at::text as "occurredAt", floor(extract(epoch from e.occurred_at) * 1000)::float8 as "occurredAtMs",
  floor(extract(epoch from e.received_at) * 1000)::float8 as "receivedAtMs", e.clock_suspect as "clockSuspect",
  e.payload::text as "payloadJson", e.metadata::text as "metadataJson"`;

/**
 * The former layout keeps events by time, not by player: finding the events of one player takes up to a second for every three
 * million events. But the active days of the player are known, so only the partitions of these days are searched. An event counts
 * on its own day, unless its clock is suspect, and its time may be up to an hour ahead of its receipt. `offset 0` makes PostgreSQL
 * search day by day instead of all partitions.
 */
export const ON_ACTIVE_DAYS = `
  from player_days d
  cross join lateral (
    select * from old_events
    where player_id = $1 and not clock_suspect
      and occurred_at >= d.day::timestamp at time zone 'UTC'
      and occurred_at < (d.day + 1)::timestamp at time zone 'UTC' + interval '1 hour'
    offset 0
  ) e
  where d.player_id = $1 and d.events > 0
    and d.day = (least(e.occurred_at, e.received_at) at time zone 'UTC')::date`;

/** Opens a cursor on the events of a player that have not been moved into blocks. False if all events have been moved. */
export async function openOldEvents(
  client: Client,
  { playerId }: RebuiltPlayer,
  atMs: number,
): Promise<boolean> {
  const { rows } = await client.query('select from old_events limit 1');
  if (rows.length === 0) return false;
  const isShort = await areOnActiveDays(client, playerId);
  const cursor = isShort ? ON_DAYS_CURSOR : ANYWHERE_CURSOR;
  // There is no index on the player.
  if (!isShort) await client.query('set local enable_seqscan = on');
  await client.query(cursor, [playerId, new Date(atMs)]);
  return true;
}

const ON_DAYS_CURSOR = `
  declare old_stored_events no scroll cursor for select ${OLD_COLUMNS} ${ON_ACTIVE_DAYS} and e.received_at <= $2`;
const ANYWHERE_CURSOR = `
  declare old_stored_events no scroll cursor for
  select ${OLD_COLUMNS} from old_events e where e.player_id = $1 and e.received_at <= $2`;

/** Whether a search of the active days finds all old events of the player: no event has a suspect clock, none is deleted. */
async function areOnActiveDays(client: Client, playerId: string): Promise<boolean> {
  const { rows } = await client.query<{ all: boolean }>(
    `select (select count(*) ${ON_ACTIVE_DAYS}) = (select event_count from players where id = $1) - (
       select coalesce(sum(event_count), 0) from event_blocks where player_id = $1
     ) as all`,
    [playerId],
  );
  return rows[0]?.all === true;
}

/** The next events; empty at the end. */
export async function fetchOldEvents(client: Client, player: RebuiltPlayer): Promise<CountedEvent[]> {
  const { rows } = await client.query<OldRow>('fetch 2000 from old_stored_events');
  return rows.map(({ payloadJson, metadataJson, ...row }) =>
    countedEvent(
      {
        ...row,
        payload: JSON.parse(payloadJson) as Record<string, unknown>,
        metadata: JSON.parse(metadataJson) as Record<string, unknown>,
      },
      player,
    ),
  );
}
