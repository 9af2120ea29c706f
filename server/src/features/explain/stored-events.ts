import type { Client } from '../../db/pool.js';
import { readMeaning } from '../events/event-meaning.js';
import type { EventRecord, PlayerKey, TransactionFact } from '../events/event-record.js';
import { readProfile } from '../events/player-profile.js';

type StoredRow = {
  identity: string;
  eventId: string | null;
  eventType: string;
  occurredAt: string;
  occurredAtMs: number;
  receivedAtMs: number;
  clockSuspect: boolean;
  timestampText: string | null;
  payloadJson: string;
  metadataJson: string;
};

const STORED_COLUMNS = `
  replace(e.identity::text, '-', '') as identity, e.event_id as "eventId", e.event_type as "eventType",
  e.occurred_at::text as "occurredAt", floor(extract(epoch from e.occurred_at) * 1000)::float8 as "occurredAtMs",
  floor(extract(epoch from e.received_at) * 1000)::float8 as "receivedAtMs", e.clock_suspect as "clockSuspect",
  e.timestamp_text as "timestampText", e.payload::text as "payloadJson", e.metadata::text as "metadataJson"`;

/**
 * The events are kept by their time, not by player: to find those of one player among all takes up to a second for every
 * three million. But the player's days are known, and only the partitions of those need to be searched: an event counts on
 * its own day, unless its clock is not believed, and may be up to an hour ahead of its receipt.
 * `offset 0` keeps PostgreSQL from searching all parts once instead of each day's part.
 */
const ON_ACTIVE_DAYS = `
  from player_days d
  cross join lateral (
    select * from events
    where player_id = $1 and not clock_suspect
      and occurred_at >= d.day::timestamp at time zone 'UTC'
      and occurred_at < (d.day + 1)::timestamp at time zone 'UTC' + interval '1 hour'
    offset 0
  ) e
  where d.player_id = $1 and d.events > 0
    and d.day = (least(e.occurred_at, e.received_at) at time zone 'UTC')::date`;

/**
 * Opens a cursor on a player's events that had been received by a moment, oldest receipt first. It goes on reading the
 * real table when a temporary one has taken its name, and keeps all but the next few events out of memory.
 */
export async function openStoredEvents(client: Client, { playerId }: PlayerKey, atMs: number): Promise<void> {
  const values = [playerId, new Date(atMs)];
  if (await areOnActiveDays(client, playerId)) await declareOnActiveDays(client, values);
  else await declareAnywhere(client, values);
}

/** Whether the short way leads to all of the player's events: none with a clock that is not believed, none deleted. */
async function areOnActiveDays(client: Client, playerId: string): Promise<boolean> {
  const { rows } = await client.query<{ all: boolean }>(
    `select (select count(*) ${ON_ACTIVE_DAYS}) = (select event_count from players where id = $1) as all`,
    [playerId],
  );
  return rows[0]?.all === true;
}

async function declareOnActiveDays(client: Client, values: unknown[]): Promise<void> {
  await client.query(
    `declare stored_events no scroll cursor for
     select ${STORED_COLUMNS} ${ON_ACTIVE_DAYS} and e.received_at <= $2
     order by e.received_at, e.occurred_at, e.identity`,
    values,
  );
}

async function declareAnywhere(client: Client, values: unknown[]): Promise<void> {
  await client.query(
    `declare stored_events no scroll cursor for
     select ${STORED_COLUMNS} from events e where e.player_id = $1 and e.received_at <= $2
     order by e.received_at, e.occurred_at, e.identity`,
    values,
  );
}

/** The next events, as they were when they were applied; empty at the end. */
export async function fetchStoredEvents(client: Client, player: PlayerKey): Promise<EventRecord[]> {
  // As many as a request may send. An event has 32 kB at the most, and a few hundred bytes as a rule.
  const { rows } = await client.query<StoredRow>('fetch 500 from stored_events');
  return rows.map((row) => toRecord(row, player));
}

function toRecord(
  { occurredAtMs, receivedAtMs, clockSuspect, ...row }: StoredRow,
  { playerId, gameId }: PlayerKey,
): EventRecord {
  return {
    ...row,
    playerId,
    gameId,
    receivedAtMs,
    clockSuspect,
    effectiveAtMs: clockSuspect ? receivedAtMs : Math.min(occurredAtMs, receivedAtMs),
    transaction: transactionOf(row),
    profile: readProfile(JSON.parse(row.metadataJson) as Record<string, unknown>),
  };
}

type Told = Pick<StoredRow, 'eventType' | 'payloadJson' | 'metadataJson' | 'identity'>;

function transactionOf({ eventType, payloadJson, metadataJson, identity }: Told): TransactionFact | null {
  if (eventType !== 'Purchase' && eventType !== 'Refund') return null;
  const payload = JSON.parse(payloadJson) as Record<string, unknown>;
  const metadata = JSON.parse(metadataJson) as Record<string, unknown>;
  const meaning = readMeaning(eventType, payload, metadata, identity);
  // It had a meaning when it was stored. Should it have lost it since, it is an event like any other.
  return 'code' in meaning ? null : meaning.transaction;
}
