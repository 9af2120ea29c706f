import type pg from 'pg';
import { isLockTimeout } from '../../platform/db/dedicated-connection.js';
import {
  describeLockHolders,
  howToEnd,
  type LockHolder,
  watchLockHolders,
} from '../../platform/db/lock-holders.js';
import { StartupError } from '../../platform/lib/startup-error.js';

/** A table with rows of its own: an ordinary one or a partition. */
export type OldTable = Readonly<{
  name: string;
  /** How its rows are read in the old server, and written to the new one. */
  readSql: string;
  writeSql: string;
  /** How all of its rows are read in the new server. */
  checkSql: string;
  /** Of its rows, as they are stored. */
  bytes: number;
  /** Makes a partition, without indexes and not yet attached; and attaches it, which makes the indexes. Null for other tables. */
  createSql: string | null;
  attachSql: string | null;
}>;

/**
 * Rows that mean something to the old server only, and what they become. Everything else is copied as it is.
 *
 * - A rewrite of a day goes by the pages of its partition, and the rows lie on other pages now: the day is rewritten anew, another day.
 * - Transactions are numbered from the start again. None of the new server has the number 1, so no later change is mistaken for one of these.
 */
const READ_OTHERWISE: Readonly<
  Record<string, { distinct?: string; columns?: Readonly<Record<string, string>>; rest?: string }>
> = {
  event_block_changes: { rest: 'where false' },
  event_block_days: {
    columns: {
      state: "case state when 'rewriting' then 'deferred' else state end",
      waits_for: "case state when 'rewriting' then null else waits_for end",
    },
  },
  event_file_changes: {
    distinct: 'distinct on (day, game_id, is_deletion)',
    columns: { changed_by: "'1'::xid8" },
    rest: 'order by day, game_id, is_deletion, noted_at',
  },
};
/** The tables of those rewrites, which begin anew. */
const LEFT_BEHIND = '^event_blocks_[0-9]{8}_compact$';

/** All tables of the old server that have to be copied, the largest first. */
export async function listOldTables(old: pg.Client): Promise<OldTable[]> {
  const { rows } = await old.query<OldTable>(LIST, [LEFT_BEHIND, JSON.stringify(READ_OTHERWISE)]);
  return rows;
}

const LIST = `
  select c.relname as name, pg_table_size(c.oid)::float8 as bytes,
    case when other is null then format('copy %I (%s) to stdout (format binary)', c.relname, own.columns)
    else format('copy (select %s %s from %I %s) to stdout (format binary)', other ->> 'distinct', own.readings, c.relname, other ->> 'rest')
    end as "readSql",
    format('copy %I (%s) from stdin (format binary, freeze)', c.relname, own.columns) as "writeSql",
    format('copy %I (%s) to stdout (format binary)', c.relname, own.columns) as "checkSql",
    case when p.oid is not null then
      format('create table %I (like %I including all excluding indexes)', c.relname, p.relname) || coalesce((
        -- which "like" leaves out
        select string_agg(format('; alter table %I alter column %I set statistics 0', c.relname, a.attname), '')
        from pg_attribute a where a.attrelid = p.oid and a.attnum > 0 and not a.attisdropped and a.attstattarget = 0
      ), '')
    end as "createSql",
    case when p.oid is not null then
      format('alter table %I attach partition %I %s', p.relname, c.relname, pg_get_expr(c.relpartbound, c.oid))
    end as "attachSql"
  from pg_class c
  cross join lateral (select $2::json -> c.relname::text as other) o
  cross join lateral (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
      string_agg(coalesce(other -> 'columns' ->> a.attname::text, quote_ident(a.attname)), ', ' order by a.attnum) as readings
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  ) own
  left join pg_inherits i on i.inhrelid = c.oid
  left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname !~ $1
  order by bytes desc, c.relname`;

/** For a command that works beside an upgrade and has changed something. */
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Begins the transaction that reads everything, and keeps whoever works beside an upgrade from changing what was copied. A reader is not held
 * up. The locks come before the snapshot, so that the snapshot has what the sessions committed that the locks waited for: nothing but
 * `lock table` may be asked in between.
 */
export async function beginLocked(
  old: pg.Client,
  watcher: pg.Client,
  timeoutMs = LOCK_TIMEOUT_MS,
): Promise<void> {
  await old.query("select set_config('lock_timeout', $1, false)", [`${timeoutMs}ms`]);
  const { rows } = await old.query<{ pid: number; sql: string }>(
    `select pg_backend_pid() as pid, format('lock table %s in share mode', string_agg(format('%I', relname), ', ')) as sql
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') having count(*) > 0`,
  );
  const [found] = rows;
  await old.query('begin isolation level repeatable read');
  if (found === undefined) return;
  let holders: readonly LockHolder[] = [];
  const locked = old.query(found.sql);
  await watchLockHolders(watcher, found.pid, locked, timeoutMs / 5, (seen) => {
    if (seen.length > 0) holders = seen;
  });
  await locked.catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
    throw new StartupError(
      `The tables of the old database are locked by ${describeLockHolders(holders)}. ${howToEnd(holders)} Nothing was changed.`,
    );
  });
}

/** What a sequence has given last. */
export type SequenceValue = Readonly<{ name: string; value: string; isCalled: boolean }>;

/** Identity columns have sequences, too. */
export async function listSequenceValues(old: pg.Client): Promise<SequenceValue[]> {
  const { rows: found } = await old.query<{ sql: string }>(
    `select format('select %L as name, last_value::text as value, is_called as "isCalled" from %I', quote_ident(relname), relname) as sql
     from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'`,
  );
  const values: SequenceValue[] = [];
  for (const { sql } of found) values.push(...(await old.query<SequenceValue>(sql)).rows);
  return values;
}

/** Of partitions, which only the running service makes. That of a rewrite is made with the rewrite. */
export async function listPartitionTriggers(old: pg.Client): Promise<string[]> {
  const { rows } = await old.query<{ sql: string }>(
    `select pg_get_triggerdef(t.oid) as sql
     from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'public'::regnamespace and c.relispartition and not t.tgisinternal and t.tgparentid = 0
       and t.tgname <> 'note_change'
     order by c.relname, t.tgname`,
  );
  return rows.map(({ sql }) => sql);
}
