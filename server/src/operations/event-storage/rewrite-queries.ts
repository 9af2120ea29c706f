import { dayTable, startOf } from '../../core/events/storage/event-partitions.js';
import { type DedicatedConnection, inTransaction } from '../../platform/db/dedicated-connection.js';
import { type Rewrite, rewriteTableName } from './compact-queries.js';

/**
 * Begins the rewrite of a day, or begins it anew. From here on `event_block_changes` tells of every transaction that changes a
 * block of the day. The lock waits for those that are on their way, so none of them is missed.
 *
 * A window of receipt is what lies on so many pages: blocks lie in the order of their receipt, nearly. Where blocks hold events of
 * the whole day already, that is the window.
 */
export async function beginRewrite(
  connection: DedicatedConnection,
  day: string,
  pagesPerWindow: number,
): Promise<Rewrite> {
  const table = connection.escapeIdentifier(dayTable(day));
  return inTransaction(connection, async () => {
    await connection.query("set local lock_timeout = '200ms'");
    await connection.query(`lock table ${table} in share row exclusive mode`);
    await connection.query('delete from event_block_changes where day = $1', [day]);
    await connection.query('select begin_day_rewrite($1)', [day]);
    const { rows } = await connection.query<Rewrite>(
      `insert into event_block_days as d (day, state, new_window_starts, total_pages)
       select $1, 'rewriting', array_agg(distinct starts_at order by starts_at), pages
       from (select (pg_relation_size($2::regclass) / current_setting('block_size')::int)::int as pages) p
       cross join lateral (
         select $3::timestamptz as starts_at
         union all
         select (
           select min(received_at) from ${table} b
           where b.ctid >= format('(%s,0)', page)::tid and b.ctid < format('(%s,0)', page + 1)::tid
         )
         from generate_series($4::int, pages - 1, $4::int) page
       ) w
       where starts_at is not null
       group by pages
       on conflict (day) do update set state = excluded.state, total_pages = excluded.total_pages, done_pages = 0,
         new_window_starts = coalesce(d.window_starts, excluded.new_window_starts), waits_for = null, changed_at = now()
       returning day::text as day, done_pages as "donePages", total_pages as "totalPages"`,
      [day, dayTable(day), startOf(day), pagesPerWindow],
    );
    const [rewrite] = rows;
    if (rewrite === undefined) throw new Error(`the rewrite of ${day} was not begun`);
    return rewrite;
  });
}

/** How large a block may become. */
export type BlockLimits = Readonly<{ maxEvents: number; maxBytes: number }>;

/**
 * Writes the blocks on some pages of a day to the rewrite table, those of one player, installation and window as one. A block of
 * more than half of the largest size is copied as it is, so no new block is larger than one and a half times the largest size.
 * An event keeps its own time of receipt where it is not that of its new block.
 */
export async function rewritePages(
  connection: DedicatedConnection,
  { day, donePages }: Rewrite,
  endPage: number,
  { maxEvents, maxBytes }: BlockLimits,
): Promise<void> {
  const table = connection.escapeIdentifier(dayTable(day));
  const rewriteTable = connection.escapeIdentifier(rewriteTableName(day));
  await inTransaction(connection, async () => {
    await connection.query(
      `with read_blocks as (
         select b.*, width_bucket(b.received_at, d.new_window_starts) as in_window, ${UNPACKED_BYTES} as bytes
         from ${table} b
         cross join (select new_window_starts from event_block_days where day = $1) d
         where b.ctid >= format('(%s,0)', $2::bigint)::tid and b.ctid < format('(%s,0)', $3::bigint)::tid
       ), sized as (
         select *, event_count > $4::int / 2 or bytes > $5::int / 2 as is_large from read_blocks
       ), assigned as (
         -- blocks with the same part become one block
         select *, case when is_large then -id else greatest(
           (sum(event_count) over small_ones - 1) / $4::int, (sum(bytes) over small_ones - 1) / $5::int
         ) end as part
         from sized
         window small_ones as (partition by in_window, player_id, game_id, install_id, is_large order by received_at, id)
       ), grouped as (
         select *, count(*) over new_block = 1 as is_alone, min(received_at) over new_block as first_received_at
         from assigned
         window new_block as (partition by in_window, player_id, game_id, install_id, part)
       )
       insert into ${rewriteTable} (player_id, received_at, id, game_id, event_count, first_at, last_at, install_id, events)
       select player_id, min(received_at), min(id), game_id, case when is_alone then max(event_count) else count(*) end,
         min(first_at), max(last_at), install_id,
         coalesce((array_agg(events) filter (where is_alone))[1], jsonb_agg(
           ${EVENT_OF_LARGER_BLOCK} order by coalesce(${OWN_RECEIPT}, received_at), id, place
         ) filter (where not is_alone))
       from grouped
       left join lateral jsonb_array_elements(case when not is_alone then events end) with ordinality e(event, place) on true
       group by in_window, player_id, game_id, install_id, part, is_alone
       order by in_window, player_id, min(received_at)`,
      [day, donePages, endPage, maxEvents, maxBytes],
    );
    await connection.query('update event_block_days set done_pages = $2 where day = $1', [day, endPage]);
  });
}

/** A block that is packed tells its size only when it is unpacked. */
const UNPACKED_BYTES = `case when pg_column_compression(b.events) is null then pg_column_size(b.events)
  else octet_length(b.events::text) end`;

const OWN_RECEIPT = `to_timestamp((event -> 6 -> 'received')::float8 / 1000)`;

/** So many places are missing before the seventh, by the number of those that are there. */
const PADDING = JSON.stringify(Array.from({ length: 7 }, (_, places) => Array(6 - places).fill(null)));

/** See `event_blocks.events` in the schema: the seventh place of an event says what does not follow from its block. */
const RECEIVED_MS = 'to_jsonb(trim_scale(extract(epoch from received_at) * 1000))';
const EVENT_OF_LARGER_BLOCK = `case
  when received_at = first_received_at or event -> 6 ? 'received' then event
  when jsonb_array_length(event) > 6 then jsonb_set(event, '{6,received}', ${RECEIVED_MS})
  else event || ('${PADDING}'::jsonb -> jsonb_array_length(event))
    || jsonb_build_array(jsonb_build_object('received', ${RECEIVED_MS}))
end`;
