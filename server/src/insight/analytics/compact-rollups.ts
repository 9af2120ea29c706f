import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** Rows a statement: some tens of milliseconds. */
const CHUNK = 2_000;

type Compaction = {
  /** Adds up at most $2 shards of days before $1 that come after a key ($3 and on), and gives the last key. */
  sql: string;
  /** Comes before every key. */
  firstKey: readonly string[];
};

/**
 * Adds the shards of past days up to one row a day, numbered −1, so that a dashboard reads one row where workers wrote
 * dozens. Yesterday and today are left alone: most events still go there. A late event makes a new shard, which is added
 * with the next run. Rows that a transaction is at work on are passed over, so nothing here waits and nobody waits for long:
 * whoever meets a row that has just been added up writes a new one.
 *
 * Each chunk commits for itself and goes on after the last key of the one before, by an index that holds nothing but
 * shards: a run costs what it adds up, whatever is stored, and one that is interrupted is finished by the next.
 *
 * Returns how many shards were added up.
 */
export async function compactRollups(
  db: Pool | DedicatedConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(nowMs - DAY_MS).toISOString().slice(0, 10);
  let compacted = 0;
  for (const { sql, firstKey } of COMPACTIONS) {
    let key: readonly string[] | null = firstKey;
    while (key !== null && signal?.aborted !== true) {
      const chunk = await compactChunk(db, sql, before, key);
      compacted += chunk.n;
      key = chunk.lastKey;
    }
  }
  return compacted;
}

type Chunk = { n: number; lastKey: string[] | null };

async function compactChunk(
  db: Pool | DedicatedConnection,
  sql: string,
  before: string,
  key: readonly string[],
): Promise<Chunk> {
  const { rows } = await db.query<Chunk>(sql, [before, CHUNK, ...key]);
  return rows[0] ?? { n: 0, lastKey: null };
}

// One at a time: the rows numbered −1 are written here only, and a second run would find its rows taken anyway.
const TURN = "select pg_try_advisory_xact_lock(hashtext('savepoint roll-ups')) as mine";

// By ctid: the rows are locked, and a join by key would be planned as a scan of the whole table when statistics are old.
const IS_PAST = 'ctid = any (array(select ctid from past))';

const COMPACT_DAYS = `
  with turn as materialized (${TURN}), past as (
    select ctid, day, game_id, shard
    from game_days
    where shard >= 0 and day < $1::date and (day, game_id, shard) > ($3::date, $4::int, $5::smallint)
      and (select mine from turn)
    order by day, game_id, shard
    limit $2
    for update skip locked
  ), gone as (
    delete from game_days where ${IS_PAST} returning *
  ), added as (
    insert into game_days as g (game_id, day, shard, active_players, new_players, paying_players, events, sessions,
      ad_impressions, store_views, play_ms, purchases, revenue, verified_revenue, refunded_revenue)
    select game_id, day, -1, sum(active_players), sum(new_players), sum(paying_players), sum(events), sum(sessions),
      sum(ad_impressions), sum(store_views), sum(play_ms), sum(purchases), jsonb_total(revenue),
      jsonb_total(verified_revenue), jsonb_total(refunded_revenue)
    from gone
    group by game_id, day
    on conflict (game_id, day, shard) do update
    set active_players = g.active_players + excluded.active_players,
      new_players = g.new_players + excluded.new_players,
      paying_players = g.paying_players + excluded.paying_players,
      events = g.events + excluded.events,
      sessions = g.sessions + excluded.sessions,
      ad_impressions = g.ad_impressions + excluded.ad_impressions,
      store_views = g.store_views + excluded.store_views,
      play_ms = g.play_ms + excluded.play_ms,
      purchases = g.purchases + excluded.purchases,
      revenue = jsonb_add(g.revenue, excluded.revenue),
      verified_revenue = jsonb_add(g.verified_revenue, excluded.verified_revenue),
      refunded_revenue = jsonb_add(g.refunded_revenue, excluded.refunded_revenue)
  )
  select (select count(*)::int from gone) as n,
    (select array[day::text, game_id::text, shard::text] from past order by day desc, game_id desc, shard desc limit 1)
      as "lastKey"`;

const COMPACT_TYPES = `
  with turn as materialized (${TURN}), past as (
    select ctid, day, game_id, event_type, shard
    from game_event_types
    where shard >= 0 and day < $1::date
      and (day, game_id, event_type, shard) > ($3::date, $4::int, $5::text, $6::smallint)
      and (select mine from turn)
    order by day, game_id, event_type, shard
    limit $2
    for update skip locked
  ), gone as (
    delete from game_event_types where ${IS_PAST} returning *
  ), added as (
    insert into game_event_types as t (game_id, day, event_type, shard, events)
    select game_id, day, event_type, -1, sum(events)
    from gone
    group by game_id, day, event_type
    on conflict (game_id, day, event_type, shard) do update set events = t.events + excluded.events
  )
  select (select count(*)::int from gone) as n,
    (select array[day::text, game_id::text, event_type, shard::text]
     from past order by day desc, game_id desc, event_type desc, shard desc limit 1) as "lastKey"`;

const COMPACT_COHORTS = `
  with turn as materialized (${TURN}), past as (
    select ctid, active_day, game_id, cohort_day, shard
    from game_cohorts
    where shard >= 0 and active_day < $1::date
      and (active_day, game_id, cohort_day, shard) > ($3::date, $4::int, $5::date, $6::smallint)
      and (select mine from turn)
    order by active_day, game_id, cohort_day, shard
    limit $2
    for update skip locked
  ), gone as (
    delete from game_cohorts where ${IS_PAST} returning *
  ), added as (
    insert into game_cohorts as c (game_id, cohort_day, active_day, shard, players)
    select game_id, cohort_day, active_day, -1, sum(players)
    from gone
    group by game_id, cohort_day, active_day
    on conflict (game_id, cohort_day, active_day, shard) do update set players = c.players + excluded.players
  )
  select (select count(*)::int from gone) as n,
    (select array[active_day::text, game_id::text, cohort_day::text, shard::text]
     from past order by active_day desc, game_id desc, cohort_day desc, shard desc limit 1) as "lastKey"`;

export const COMPACTIONS: readonly Compaction[] = [
  { sql: COMPACT_DAYS, firstKey: ['-infinity', '0', '-1'] },
  { sql: COMPACT_TYPES, firstKey: ['-infinity', '0', '', '-1'] },
  { sql: COMPACT_COHORTS, firstKey: ['-infinity', '0', '-infinity', '-1'] },
];
