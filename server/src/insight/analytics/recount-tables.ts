import { PROFILE_MEMBERS, SOURCE_MEMBER } from '../../core/events/intake/player-profile.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { countPages } from '../../platform/db/table-pages.js';
import { MAX_ROW_ID } from '../../platform/lib/row-id.js';

/** A table that events are read from. */
export type EventTable = Readonly<{ name: string; pages: number }>;

/**
 * All tables that hold events. They are locked until the transaction ends: none is dropped or replaced meanwhile. This has to come
 * before anything that takes a snapshot.
 */
export async function holdEventTables(connection: DedicatedConnection): Promise<EventTable[]> {
  await connection.query('lock table event_blocks in access share mode');
  const { rows } = await connection.query<{ name: string }>(
    `select c.relname as name
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event_blocks'::regclass
     order by 1`,
  );
  const tables: EventTable[] = [];
  for (const { name } of rows) tables.push({ name, pages: await countPages(connection, name) });
  return tables;
}

/**
 * - `recount_types`: what each player did on each day, by type; a row for each table that the events were read from.
 * - `recount_profiles`: each value that a player's events of a day reported for a member of the profile, and when it was reported last and
 *   first; a row for each table as well.
 * - `recount_purchases`: what each player bought on each day.
 * - `recount_days`, `recount_cohorts`: of the game, added up from some players at a time.
 */
export async function createRecountTables(connection: DedicatedConnection): Promise<void> {
  await connection.query(
    `create temporary table recount_types (
       player_id bigint, day date, event_type text, n integer, first_at timestamptz, last_at timestamptz, play_ms bigint
     ) on commit drop`,
  );
  await connection.query(
    `create temporary table recount_profiles (
       player_id bigint, day date, member text, value text collate "C", last_reported_ms bigint, first_reported_ms bigint
     ) on commit drop`,
  );
  await connection.query(
    `create temporary table recount_purchases (
       player_id bigint, day date, currency text, n integer, total numeric, first_at timestamptz, last_at timestamptz
     ) on commit drop`,
  );
  await connection.query(
    'create temporary table recount_days (day date, name text, value numeric) on commit drop',
  );
  await connection.query(
    'create temporary table recount_cohorts (cohort_day date, active_day date, players bigint) on commit drop',
  );
}

/** Players whose erasure has begun: `erased_days` has all of what they did, and their events may be there in part. */
const BEING_ERASED = `array(select player_id from erasures where state = 'erasing')`;

/** The members of the profile that an event reports. A value that is no text of 1 to 64 characters is left out. */
const REPORTED_VALUES = [
  ...[...PROFILE_MEMBERS, SOURCE_MEMBER].map((name) => `('${name}', metadata -> '${name}')`),
  // What a purchase was decided to count as stands before its payload.
  `('paidCurrency', case when event_type = 'Purchase' then case when more ? 'sale' then more -> 'sale' -> 'currency' else payload -> 'currency' end end)`,
].join(', ');

/**
 * Counts the game's events in one of the tables, each at the time for which it counts. `offset 0`: PostgreSQL works out each time
 * once. Players are in order, so that some of them can be read at a time.
 */
export async function countEventsOf(
  connection: DedicatedConnection,
  { name }: EventTable,
  gameId: number,
): Promise<void> {
  const table = connection.escapeIdentifier(name);
  await connection.query(
    `with stored_events as materialized (
       select player_id, event_type, payload, metadata, more,
         case when clock_suspect or received_at < occurred_at then received_at else occurred_at end as at
       from (
         select b.player_id, e.event_type, e.payload, e.metadata, e.occurred_at, coalesce(e.received_at, b.received_at) as received_at,
           e.clock_suspect, case when e.event_type = 'Purchase' then b.events -> (e.place - 1)::int -> 6 end as more
         from ${table} b
         cross join lateral event_rows(b.events) e
         where b.game_id = $1 and not b.player_id = any(${BEING_ERASED})
         offset 0
       ) e
     ), reported_values as (
       select player_id, (at at time zone 'UTC')::date as day, member, case when member = 'country' then upper(value #>> '{}') else value #>> '{}' end as value,
         floor(1000 * extract(epoch from at)) as reported_ms
       from stored_events
       cross join lateral (values ${REPORTED_VALUES}) v(member, value)
       where jsonb_typeof(value) = 'string' and length(value #>> '{}') between 1 and 64
     ), counted_profiles as (
       insert into recount_profiles
       select player_id, day, member, value, max(reported_ms), min(reported_ms) from reported_values group by 1, 2, 3, 4 order by 1
     )
     insert into recount_types
     select player_id, (at at time zone 'UTC')::date, event_type, count(*), min(at), max(at),
       coalesce(sum(round(least(86400000, (payload ->> 'durationMs')::numeric)))
         filter (where event_type = 'Session_End' and jsonb_typeof(payload -> 'durationMs') = 'number'), 0)
     from stored_events
     group by 1, 2, 3
     order by 1`,
    [gameId],
  );
}

/** What each player bought on each day, straight from the transactions. */
export async function countPurchases(connection: DedicatedConnection, gameId: number): Promise<void> {
  await connection.query(
    `insert into recount_purchases
     select player_id, (purchased_at at time zone 'UTC')::date as day, currency, count(*) as n,
       -- sums of nothing are left out, trailing zeros are cut: as in jsonb_add
       nullif(trim_scale(sum(price)), 0) as total,
       min(purchased_at) as first_at, max(purchased_at) as last_at
     from transactions
     where game_id = $1 and purchased_at is not null and refunded_at is null and not player_id = any(${BEING_ERASED})
     group by 1, 2, 3`,
    [gameId],
  );
  await connection.query(
    `insert into recount_days
     select (purchased_at at time zone 'UTC')::date, 'verified_revenue.' || currency, sum(price)
     from transactions
     where game_id = $1 and purchased_at is not null and refunded_at is null and store is not null and currency is not null
       and price is not null and not player_id = any(${BEING_ERASED})
     group by 1, 2`,
    [gameId],
  );
}

/** So that the rows of some players are found. */
export async function indexRecountTables(connection: DedicatedConnection): Promise<void> {
  await connection.query('create index on recount_types (player_id)');
  await connection.query('create index on recount_profiles (player_id)');
  await connection.query('create index on recount_purchases (player_id)');
  await connection.query('analyze recount_types');
  await connection.query('analyze recount_profiles');
  await connection.query('analyze recount_purchases');
}

/** After the first of two ids, up to the second one. */
export type PlayerRange = readonly [after: string, upTo: string];

/** Ranges of this many players of a game. Together they cover all players, also those that are not in `players`. */
export async function listPlayerRanges(
  connection: DedicatedConnection,
  gameId: number,
  playersPerRange: number,
): Promise<PlayerRange[]> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from (select id, row_number() over (order by id) as place from players where game_id = $1) p
     where place % $2::int = 0
     order by id`,
    [gameId, playersPerRange],
  );
  let after = '-1';
  return [...rows.map(({ id }) => id), MAX_ROW_ID].map((upTo) => {
    const range = [after, upTo] as const;
    after = upTo;
    return range;
  });
}
