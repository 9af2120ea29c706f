import { dayTable } from '../../core/events/storage/event-partitions.js';
import { type DedicatedConnection, inTransaction } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { countPages } from '../../platform/db/table-pages.js';

/** A day whose rewrite has begun. */
export type Rewrite = Readonly<{ day: string; donePages: number; totalPages: number }>;

/** Why the larger blocks of a day cannot take the place of the smaller ones yet. */
export type SwapObstacle = 'snapshot' | 'lock' | 'default_partition';

/** The name of the table in which the larger blocks of a day are gathered until they replace the smaller ones. */
export function rewriteTableName(day: string): string {
  return `${dayTable(day)}_compact`;
}

const STATE_OF_DAYS = `
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  cross join lateral (select to_date(right(c.relname, 8), 'YYYYMMDD') as day) p
  left join event_block_days d on d.day = p.day
  where i.inhparent = 'event_blocks'::regclass and c.relname ~ '^event_blocks_[0-9]{8}$' and p.day < $1::date
    and coalesce(d.state not in ('compacted', 'kept'), true)`;

/**
 * Days before `before` that have not been dealt with: the one being rewritten first, then the latest first, because old days
 * may soon be deleted. A day that was changed during its rewrite is left alone until `deferredBefore`.
 */
export async function listDaysToCompact(
  connection: DedicatedConnection,
  before: string,
  deferredBefore: Date,
): Promise<string[]> {
  const { rows } = await connection.query<{ day: string }>(
    `select p.day::text as day ${STATE_OF_DAYS} and coalesce(d.state <> 'deferred' or d.changed_at < $2, true)
     order by d.state = 'rewriting' desc nulls last, p.day desc`,
    [before, deferredBefore],
  );
  return rows.map(({ day }) => day);
}

/** For all days before `before`, deferred ones included. */
export async function countDaysToCompact(pool: Pool, before: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n ${STATE_OF_DAYS}`, [before]);
  return rows[0]?.n ?? 0;
}

export async function findRewrite(
  connection: DedicatedConnection,
  day: string,
): Promise<Rewrite | undefined> {
  const { rows } = await connection.query<Rewrite>(
    `select day::text as day, done_pages as "donePages", total_pages as "totalPages"
     from event_block_days where day = $1 and state = 'rewriting'`,
    [day],
  );
  return rows[0];
}

/** Whether blocks of a day have changed since its rewrite began. */
export async function hasChanged(connection: DedicatedConnection, day: string): Promise<boolean> {
  const { rows } = await connection.query('select from event_block_changes where day = $1 limit 1', [day]);
  return rows.length > 0;
}

/** Blocks of the day have changed since its rewrite began, so the rewrite has to start again. */
export async function deferDay(connection: DedicatedConnection, day: string): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.query('select drop_day_rewrite($1)', [day]);
    await connection.query(
      `update event_block_days set state = 'deferred', restarts = restarts + 1, waits_for = null, changed_at = now()
       where day = $1`,
      [day],
    );
  });
}

/** For `savepoint doctor`. */
export async function updateWaitsFor(
  connection: DedicatedConnection,
  day: string,
  waitsFor: SwapObstacle,
): Promise<void> {
  await connection.query('update event_block_days set waits_for = $2 where day = $1', [day, waitsFor]);
}

/** A day whose larger blocks are not in place a day after their rewrite began, or that was changed during each of three rewrites. */
export type StuckDay = Readonly<{
  day: string;
  /** In UTC. */
  since: string;
  waitsFor: SwapObstacle | null;
  restarts: number;
}>;

export async function listStuckDays(pool: Pool): Promise<StuckDay[]> {
  const { rows } = await pool.query<StuckDay>(
    `select day::text as day, to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as since, waits_for as "waitsFor", restarts
     from event_block_days
     where state = 'rewriting' and changed_at < now() - interval '1 day' or state = 'deferred' and restarts >= 3
     order by day`,
  );
  return rows;
}

/** Forgets the days that retention has dropped, also those it dropped during their rewrite. */
export async function forgetDroppedDays(connection: DedicatedConnection): Promise<void> {
  const { rows } = await connection.query<{ day: string }>(
    `select day::text as day from event_block_days
     where to_regclass('event_blocks_' || to_char(day, 'YYYYMMDD')) is null`,
  );
  for (const { day } of rows) {
    await connection.query('select drop_day_rewrite($1)', [day]);
    await connection.query('delete from event_block_changes where day = $1', [day]);
    await connection.query('delete from event_block_days where day = $1', [day]);
  }
}

/** Statistics of the pages in the middle of a day. A small block has fewer than `smallEvents` events. */
export type DaySample = Readonly<{
  pages: number;
  smallBlocks: number;
  /** Players and installations that the small blocks are of. */
  smallSources: number;
  smallBytes: number;
  bytes: number;
}>;

export async function sampleDay(
  connection: DedicatedConnection,
  day: string,
  { maxPages, smallEvents }: { maxPages: number; smallEvents: number },
): Promise<DaySample> {
  const pages = await countPages(connection, dayTable(day));
  const fromPage = Math.max(0, Math.floor((pages - maxPages) / 2));
  const { rows } = await connection.query<Omit<DaySample, 'pages'>>(
    `select count(*) filter (where event_count < $3)::int as "smallBlocks",
       (count(distinct (player_id, install_id)) filter (where event_count < $3))::int as "smallSources",
       coalesce(sum(pg_column_size(events)) filter (where event_count < $3), 0)::float8 as "smallBytes",
       coalesce(sum(pg_column_size(events)), 0)::float8 as bytes
     from ${connection.escapeIdentifier(dayTable(day))} b
     where b.ctid >= format('(%s,0)', $1::bigint)::tid and b.ctid < format('(%s,0)', $2::bigint)::tid`,
    [fromPage, fromPage + maxPages, smallEvents],
  );
  const [sample] = rows;
  if (sample === undefined) throw new Error(`the blocks of ${day} could not be counted`);
  return { pages, ...sample };
}

/** Compaction would gain too little, and the day does not change any more. */
export async function keepDay(connection: DedicatedConnection, day: string): Promise<void> {
  await connection.query(
    `insert into event_block_days (day, state) values ($1, 'kept')
     on conflict (day) do update set state = 'kept', changed_at = now()`,
    [day],
  );
}
