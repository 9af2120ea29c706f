import type { OwnConnection } from '../../db/own-connection.js';
import { countPages } from '../../db/table-pages.js';
import { MAX_ROW_ID } from '../../lib/row-id.js';
import { PROFILE_MEMBERS } from '../events/intake/player-profile.js';

/** A table that events are read from. */
export type EventTable = Readonly<{ name: string; pages: number }>;

/**
 * All tables that hold events. They are locked until the transaction ends: none is dropped or replaced meanwhile. This has to come
 * before anything that takes a snapshot.
 */
export async function holdEventTables(connection: OwnConnection): Promise<EventTable[]> {
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

/** The members of a profile. */
export const MEMBERS = [...PROFILE_MEMBERS, 'paidCurrency'];
const MEMBER_COLUMNS = MEMBERS.map((name) => `"${name}" text collate "C"`).join(', ');

/**
 * - `recount_types`: what each player did on each day, by type; a row for each table that the events were read from. Of each member of
 *   the profile it has what was told last, behind the time at which it was told.
 * - `recount_purchases`: what each player bought on each day.
 * - `recount_days`, `recount_cohorts`: of the game, added up from some players at a time.
 */
export async function createRecountTables(connection: OwnConnection): Promise<void> {
  await connection.query(
    `create temporary table recount_types (
       player_id bigint, day date, event_type text, n integer, first_at timestamptz, last_at timestamptz, play_ms bigint, ${MEMBER_COLUMNS}
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

/** Of the same length for every time, so that the order of texts is that of times; the value behind it decides between equal ones. */
const TOLD_AT = `(20000000000000000 + floor(1000 * extract(epoch from at))::bigint)::text`;
export const TOLD_AT_LENGTH = 17;
export const TOLD_AT_ZERO = '20000000000000000';

/** `value` is a JSON value. */
const told = (value: string, text = `${value} #>> '{}'`) =>
  `max(case when jsonb_typeof(${value}) = 'string' and length(${value} #>> '{}') between 1 and 64 then told_at || (${text}) end collate "C")`;
const TOLD_MEMBERS = [
  ...PROFILE_MEMBERS.map((name) => {
    const value = `(metadata -> '${name}')`;
    return name === 'country' ? told(value, `upper(${value} #>> '{}')`) : told(value);
  }),
  told('paid_currency'),
].join(', ');
const NAMED_MEMBERS = PROFILE_MEMBERS.map((name) => `'${name}'`).join(', ');

/**
 * Counts the game's events in one of the tables. `offset 0` keeps PostgreSQL from working out a time once for each place that uses
 * it. Players are in order, so that some of them can be read at a time.
 */
export async function countEventsOf(
  connection: OwnConnection,
  { name }: EventTable,
  gameId: number,
): Promise<void> {
  const table = connection.escapeIdentifier(name);
  await connection.query(
    `insert into recount_types
     select player_id, (at at time zone 'UTC')::date, event_type, count(*), min(at), max(at), sum(play_ms), ${TOLD_MEMBERS}
     from (
       select player_id, event_type, at, metadata, case when event_type = 'Purchase' then payload -> 'currency' end as paid_currency,
         case when event_type = 'Session_End' and jsonb_typeof(payload -> 'durationMs') = 'number'
           then round(least(86400000, (payload ->> 'durationMs')::numeric))::bigint else 0 end as play_ms,
         case when event_type = 'Purchase' or metadata ?| array[${NAMED_MEMBERS}] then ${TOLD_AT} end as told_at
       from (
         select player_id, event_type, payload, metadata,
           case when clock_suspect or received_at < occurred_at then received_at else occurred_at end as at
         from (
           select b.player_id, e.event_type, e.payload, e.metadata, e.occurred_at, coalesce(e.received_at, b.received_at) as received_at,
             e.clock_suspect
           from ${table} b
           cross join lateral event_rows(b.events) e
           where b.game_id = $1
           offset 0
         ) e
         offset 0
       ) e
       offset 0
     ) e
     group by 1, 2, 3
     order by 1`,
    [gameId],
  );
}

/** What each player bought on each day, straight from the transactions. */
export async function countPurchases(connection: OwnConnection, gameId: number): Promise<void> {
  await connection.query(
    `insert into recount_purchases
     select player_id, (purchased_at at time zone 'UTC')::date as day, currency, count(*) as n,
       -- sums of nothing are left out, trailing zeros are cut: as in jsonb_add
       nullif(trim_scale(sum(price)), 0) as total,
       min(purchased_at) as first_at, max(purchased_at) as last_at
     from transactions
     where game_id = $1 and purchased_at is not null and refunded_at is null
     group by 1, 2, 3`,
    [gameId],
  );
}

/** So that the rows of some players are found. */
export async function indexRecountTables(connection: OwnConnection): Promise<void> {
  await connection.query('create index on recount_types (player_id)');
  await connection.query('create index on recount_purchases (player_id)');
  await connection.query('analyze recount_types');
  await connection.query('analyze recount_purchases');
}

/** Behind the first of two ids, up to the second one. */
export type PlayerRange = readonly [behind: string, upTo: string];

/** Ranges of this many players of a game. Together they cover all players, also those that are not in `players`. */
export async function listPlayerRanges(
  connection: OwnConnection,
  gameId: number,
  playersARange: number,
): Promise<PlayerRange[]> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from (select id, row_number() over (order by id) as place from players where game_id = $1) p
     where place % $2::int = 0
     order by id`,
    [gameId, playersARange],
  );
  let behind = '-1';
  return [...rows.map(({ id }) => id), MAX_ROW_ID].map((upTo) => {
    const range = [behind, upTo] as const;
    behind = upTo;
    return range;
  });
}
