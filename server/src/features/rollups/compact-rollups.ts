import type { Pool } from '../../db/pool.js';

const DAY_MS = 86_400_000;
/** Rows a statement: some tens of milliseconds. */
const CHUNK = 2_000;

/**
 * Adds the shards of past days up to one row a day, numbered −1, so that a dashboard reads one row where workers wrote
 * dozens. Yesterday and today are left alone: most events still go there. A late event makes a new shard, which is added
 * with the next run. Rows that a transaction is at work on are passed over, so nothing here waits and nobody waits for long:
 * whoever meets a row that has just been added up writes a new one.
 */
export async function compactRollups(pool: Pool, nowMs: number): Promise<void> {
  const before = new Date(nowMs - DAY_MS).toISOString().slice(0, 10);
  for (const statement of [COMPACT_DAYS, COMPACT_TYPES, COMPACT_COHORTS]) {
    for (;;) {
      const { rows } = await pool.query<{ n: number }>(statement, [before, CHUNK]);
      if ((rows[0]?.n ?? 0) < CHUNK) break;
    }
  }
}

// One at a time: the rows numbered −1 are written here only, and a second run would find its rows taken anyway.
const TURN = "select pg_try_advisory_xact_lock(hashtext('savepoint roll-ups')) as mine";

const COMPACT_DAYS = `
  with turn as materialized (${TURN}), past as (
    select game_id, day, shard
    from game_days
    where day < $1::date and shard >= 0 and (select mine from turn)
    order by game_id, day
    limit $2
    for update skip locked
  ), gone as (
    delete from game_days g
    using past
    where g.game_id = past.game_id and g.day = past.day and g.shard = past.shard
    returning g.*
  ), added as (
    insert into game_days as g (game_id, day, shard, active_players, new_players, paying_players, events, sessions,
      ad_impressions, store_views, play_ms, purchases, revenue)
    select game_id, day, -1, sum(active_players), sum(new_players), sum(paying_players), sum(events), sum(sessions),
      sum(ad_impressions), sum(store_views), sum(play_ms), sum(purchases), jsonb_total(revenue)
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
      revenue = jsonb_add(g.revenue, excluded.revenue)
  )
  select count(*)::int as n from gone`;

const COMPACT_TYPES = `
  with turn as materialized (${TURN}), past as (
    select game_id, day, event_type, shard
    from game_event_types
    where day < $1::date and shard >= 0 and (select mine from turn)
    order by game_id, day, event_type
    limit $2
    for update skip locked
  ), gone as (
    delete from game_event_types t
    using past
    where t.game_id = past.game_id and t.day = past.day and t.event_type = past.event_type and t.shard = past.shard
    returning t.*
  ), added as (
    insert into game_event_types as t (game_id, day, event_type, shard, events)
    select game_id, day, event_type, -1, sum(events)
    from gone
    group by game_id, day, event_type
    on conflict (game_id, day, event_type, shard) do update set events = t.events + excluded.events
  )
  select count(*)::int as n from gone`;

const COMPACT_COHORTS = `
  with turn as materialized (${TURN}), past as (
    select game_id, cohort_day, active_day, shard
    from game_cohorts
    where active_day < $1::date and shard >= 0 and (select mine from turn)
    order by game_id, cohort_day, active_day
    limit $2
    for update skip locked
  ), gone as (
    delete from game_cohorts c
    using past
    where c.game_id = past.game_id and c.cohort_day = past.cohort_day and c.active_day = past.active_day
      and c.shard = past.shard
    returning c.*
  ), added as (
    insert into game_cohorts as c (game_id, cohort_day, active_day, shard, players)
    select game_id, cohort_day, active_day, -1, sum(players)
    from gone
    group by game_id, cohort_day, active_day
    on conflict (game_id, cohort_day, active_day, shard) do update set players = c.players + excluded.players
  )
  select count(*)::int as n from gone`;
