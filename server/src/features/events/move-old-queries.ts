import { inTransaction, type OwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';

/** A partition of the former layout; the default one has no day. */
export type OldPartition = { name: string; day: string | null };

/** The oldest first, the default one last. */
export async function listOldPartitions(db: OwnConnection | Pool): Promise<OldPartition[]> {
  const { rows } = await db.query<OldPartition>(
    `select c.relname as name,
       case when c.relname ~ '_[0-9]{8}$' then to_date(right(c.relname, 8), 'YYYYMMDD')::text end as day
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'old_events'::regclass
     order by day nulls last, name`,
  );
  return rows;
}

/**
 * About how many events wait to be moved: PostgreSQL's own counters, which each step of the move lowers. A crash of PostgreSQL
 * resets them; then it is what the last vacuum or analyze counted, or the size of the tables, less what was moved since.
 */
export async function estimateOldEvents(db: OwnConnection | Pool): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select coalesce(sum(coalesce(
       nullif(pg_stat_get_live_tuples(c.oid), 0)::float8,
       greatest(0, case when c.reltuples >= 0 then c.reltuples else pg_relation_size(c.oid) / 300 end
         - pg_stat_get_tuples_deleted(c.oid))
     )), 0)::float8 as n
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'old_events'::regclass and pg_relation_size(c.oid) > 0`,
  );
  return rows[0]?.n ?? 0;
}

/** Nothing is written to the table any more, and it is dropped soon: vacuum would read it all again and again for nothing. */
export async function stopVacuum(connection: OwnConnection, table: string): Promise<void> {
  await connection.query(`alter table ${connection.escapeIdentifier(table)} set (autovacuum_enabled = off)`);
}

/**
 * Moves the events on some pages of a partition and returns how many there were. A player's events of one day of receipt become
 * one block, in which each keeps its own time of receipt. A purchase keeps its identity, too: it cannot be worked out again
 * for one of several identical ones.
 */
export async function moveOldPages(
  connection: OwnConnection,
  table: string,
  fromPage: number,
  endPage: number,
  nowMs: number,
): Promise<number> {
  return inTransaction(connection, async () => {
    // A transaction that reads both layouts one after the other keeps the move from changing them meanwhile.
    await connection.query(`select pg_advisory_xact_lock(${OLD_EVENTS_STEP})`);
    await connection.query(`set local work_mem = '${WORK_MEM}'`);
    return movePages(connection, table, fromPage, endPage, nowMs);
  });
}

/** So that the rows of the largest step are sorted and grouped in memory. */
const WORK_MEM = '64MB';

/** Any fixed number: it only has to be the same on every node. */
const OLD_EVENTS_STEP = "hashtext('savepoint old events step')";

/** Keeps events where they are until the connection ends; they are moved again afterwards. False if none are left. */
export async function holdOldEvents(connection: OwnConnection): Promise<boolean> {
  await connection.query(`select pg_advisory_lock_shared(${OLD_EVENTS_STEP})`);
  return hasRows(connection, 'old_events');
}

async function movePages(
  connection: OwnConnection,
  table: string,
  fromPage: number,
  endPage: number,
  nowMs: number,
): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(
    `with moved as (
       delete from ${connection.escapeIdentifier(table)} e
       where e.ctid >= format('(%s,0)', $1::bigint)::tid and e.ctid < format('(%s,0)', $2::bigint)::tid
       returning *
     ), identities as (
       insert into event_identities (generation, player_id, identities)
       select date_trunc('quarter', received_at at time zone 'UTC')::date, player_id,
         array_agg(encode(int8send(player_id) || substr(uuid_send(identity), 1, 8), 'hex')::uuid)
       from moved
       group by 1, 2
       order by 2
     ), blocks as (
       insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
       select e.player_id, min(e.received_at), e.game_id, count(*), min(e.occurred_at), max(e.occurred_at),
         jsonb_agg(jsonb_build_array(
           e.event_type,
           case
             when e.occurred_at < '0001-01-01' or e.occurred_at >= '10000-01-01' then e.occurred_at::text
             when date_trunc('milliseconds', e.occurred_at) = e.occurred_at
               then to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
             else to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
           end,
           e.payload, e.metadata, null, e.event_id,
           case
             -- nearly all of them, and much less work
             when e.timestamp_text is null and not e.clock_suspect and e.event_type <> 'Purchase'
               then jsonb_build_object('received', (date_part('epoch', e.received_at) * 1000)::bigint)
             else jsonb_strip_nulls(jsonb_build_object(
               'text', e.timestamp_text,
               'suspect', case when e.clock_suspect then true end,
               'received', (date_part('epoch', e.received_at) * 1000)::bigint,
               'identity', case when e.event_type = 'Purchase' then replace(e.identity::text, '-', '') end
             ))
           end
         ) order by e.received_at, e.occurred_at)
       from moved e
       join games g on g.id = e.game_id
       where g.retention_days is null
         or e.received_at >= ($3::date - g.retention_days)::timestamp at time zone 'UTC'
       group by e.player_id, e.game_id, (e.received_at at time zone 'UTC')::date
     ), wide_days as (
       insert into event_block_days (day, state, window_starts)
       select day, 'moved', array[day::timestamp at time zone 'UTC']
       from (select distinct (received_at at time zone 'UTC')::date as day from moved) d
       on conflict do nothing
     )
     select count(*)::int as n from moved`,
    [fromPage, endPage, new Date(nowMs).toISOString().slice(0, 10)],
  );
  return rows[0]?.n ?? 0;
}

export async function hasRows(connection: OwnConnection, table: string): Promise<boolean> {
  const { rows } = await connection.query(`select from ${connection.escapeIdentifier(table)} limit 1`);
  return rows.length > 0;
}

/** Intake queues behind the lock, so the wait is short. */
const LOCK_TIMEOUT = '200ms';

export async function dropOldPartition(connection: OwnConnection, table: string): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await connection.query(`drop table ${connection.escapeIdentifier(table)}`);
  });
}

/**
 * Drops the names of the former layout at once, when all of its events are moved. Deleting each name together with its event
 * would take as long as moving it. A name that outlives its event in the former layout says nothing that the event's identity
 * does not.
 */
export async function clearOldNames(connection: OwnConnection): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await connection.query('truncate old_event_names');
  });
}
