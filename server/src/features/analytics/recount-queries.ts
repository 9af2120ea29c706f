import { PROFILE_MEMBERS } from '../events/player-profile.js';

/**
 * The full recount, written apart from the statements that keep the roll-ups: it shares none of their SQL, so that a
 * mistake in one is not repeated in the other. All of it runs in one repeatable-read transaction, on one state of the
 * database, while events go on coming in.
 *
 * Each comparison gives one row per value that differs: where it is (`key`), which one (`name`), as it is kept and as it
 * was counted. Zeros and absent rows are the same. Values are compared as numbers and JSON, never as text: `5.0` is `5.00`.
 */

/** $1 is the game, $2 the day before which its events have been deleted, or null. */
export const RECOUNT_TABLES = [
  // What each player did on each day, by type, straight from the events.
  `create temporary table recount_types on commit drop as
   select player_id, (at at time zone 'UTC')::date as day, event_type, count(*) as n, min(at) as first_at,
     max(at) as last_at, sum(play_ms) as play_ms
   from (
     select player_id, event_type,
       case when clock_suspect or received_at < occurred_at then received_at else occurred_at end as at,
       case when event_type = 'Session_End' and jsonb_typeof(payload -> 'durationMs') = 'number'
         then round(least(86400000, (payload ->> 'durationMs')::numeric)) else 0 end as play_ms
     from events
     where game_id = $1
   ) e
   group by 1, 2, 3`,
  // What each player bought on each day, straight from the transactions.
  `create temporary table recount_purchases on commit drop as
   select player_id, (purchased_at at time zone 'UTC')::date as day, currency, count(*) as n,
     -- sums of nothing are left out, trailing zeros are cut: as in jsonb_add
     nullif(trim_scale(sum(price)), 0) as total,
     min(purchased_at) as first_at, max(purchased_at) as last_at
   from transactions
   where game_id = $1 and purchased_at is not null and refunded_at is null
   group by 1, 2, 3`,
] as const;

export const ANALYZE_TABLES = ['analyze recount_types', 'analyze recount_purchases'] as const;

const NAMED_TYPES = `
  coalesce(sum(n) filter (where event_type = 'Session_Start'), 0) as sessions,
  coalesce(sum(n) filter (where event_type = 'Ad_Impression'), 0) as ad_impressions,
  coalesce(sum(n) filter (where event_type = 'Store_View'), 0) as store_views,
  sum(play_ms) as play_ms`;

/** `total` says how many there are. */
const FIRST_FEW = 'order by 2, 3 limit 1000';

export const COMPARE_GAME_DAYS = `
  with recounted as (
    select day::text as key, v.name, sum(v.value) as value
    from (
      select day, count(distinct player_id) as active_players, sum(n) as events, ${NAMED_TYPES}
      from recount_types group by day
    ) d
    cross join lateral (values
      ('active_players', d.active_players), ('events', d.events), ('sessions', d.sessions),
      ('ad_impressions', d.ad_impressions), ('store_views', d.store_views), ('play_ms', d.play_ms)
    ) v(name, value)
    group by 1, 2
    union all
    select day::text, 'event_types.' || event_type, sum(n) from recount_types group by 1, 2
    union all
    select day::text, 'purchases', sum(n) from recount_purchases group by 1
    union all
    select day::text, 'paying_players', count(distinct player_id) from recount_purchases group by 1
    union all
    select day::text, 'revenue.' || currency, sum(total) from recount_purchases where total is not null group by 1, 2
    union all
    select (created_at at time zone 'UTC')::date::text, 'new_players', count(*) from players where game_id = $1 group by 1
  ), shards as (
    select * from game_days where game_id = $1
  ), kept as (
    select day::text as key, v.name, sum(v.value) as value
    from shards s
    cross join lateral (values
      ('active_players', s.active_players), ('events', s.events), ('sessions', s.sessions),
      ('ad_impressions', s.ad_impressions), ('store_views', s.store_views), ('play_ms', s.play_ms),
      ('purchases', s.purchases), ('paying_players', s.paying_players), ('new_players', s.new_players)
    ) v(name, value)
    group by 1, 2
    union all
    select day::text, 'event_types.' || event_type, sum(events) from game_event_types where game_id = $1 group by 1, 2
    union all
    select day::text, 'revenue.' || r.key, sum(r.value::numeric)
    from shards cross join jsonb_each_text(revenue) r group by 1, 2
  )
  select 'game_days' as "table", key, name, trim_scale(coalesce(k.value, 0))::text as kept,
    trim_scale(coalesce(r.value, 0))::text as recounted, count(*) over () as total
  from recounted r
  full join kept k using (key, name)
  where coalesce(r.value, 0) <> coalesce(k.value, 0)
    and ($2::date is null or key >= $2::date::text or name ~ '^(purchases|paying_players|new_players|revenue\\.)')
  ${FIRST_FEW}`;

export const COMPARE_COHORTS = `
  with recounted as (
    select (p.created_at at time zone 'UTC')::date as cohort_day, a.day as active_day, count(*) as players
    from (select distinct player_id, day from recount_types) a
    join players p on p.id = a.player_id
    where a.day >= (p.created_at at time zone 'UTC')::date
    group by 1, 2
  ), kept as (
    select cohort_day, active_day, sum(players) as players from game_cohorts where game_id = $1 group by 1, 2
  )
  select 'game_cohorts' as "table", cohort_day || ' ' || active_day as key, 'players' as name,
    coalesce(k.players, 0)::text as kept, coalesce(r.players, 0)::text as recounted, count(*) over () as total
  from recounted r
  full join kept k using (cohort_day, active_day)
  where coalesce(r.players, 0) <> coalesce(k.players, 0) and ($2::date is null or active_day >= $2::date)
  ${FIRST_FEW}`;

/** An object of amounts without those that are zero. */
const NOT_ZERO = `(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(AMOUNTS) where value <> '0')`;
const DAY_REVENUE = NOT_ZERO.replaceAll('AMOUNTS', 'd.revenue');
const SPEND = NOT_ZERO.replaceAll('AMOUNTS', 'p.spend');
const REPEAT_SPEND = NOT_ZERO.replaceAll('AMOUNTS', 'p.repeat_spend');

/** What a player's day without a row counts as. */
const EMPTY_DAY = `'{"events": 0, "sessions": 0, "ad_impressions": 0, "store_views": 0, "play_ms": 0, "event_counts": {},
  "purchases": 0, "revenue": {}}'::jsonb`;

/** Days of players. Each day is compared as one JSON document first: nearly all of them agree. */
export const COMPARE_PLAYER_DAYS = `
  with counted as (
    select player_id, day, sum(n) as events, ${NAMED_TYPES} from recount_types group by 1, 2
  ), types as (
    select player_id, day, jsonb_object_agg(event_type, n) as counts
    from (
      select player_id, day, event_type, n,
        row_number() over (partition by player_id, day order by event_type collate "C") as place
      from recount_types
    ) t
    where place <= 256
    group by 1, 2
  ), bought as (
    select player_id, day, sum(n) as purchases,
      coalesce(jsonb_object_agg(currency, total) filter (where total <> 0), '{}') as revenue
    from recount_purchases
    group by 1, 2
  ), recounted as (
    select player_id, day, jsonb_build_object(
        'events', coalesce(c.events, 0), 'sessions', coalesce(c.sessions, 0),
        'ad_impressions', coalesce(c.ad_impressions, 0), 'store_views', coalesce(c.store_views, 0),
        'play_ms', coalesce(c.play_ms, 0), 'event_counts', coalesce(t.counts, '{}'),
        'purchases', coalesce(b.purchases, 0), 'revenue', coalesce(b.revenue, '{}')
      ) as value
    from counted c
    join types t using (player_id, day)
    full join bought b using (player_id, day)
  ), kept as (
    select d.player_id, d.day, jsonb_build_object(
        'events', d.events, 'sessions', d.sessions, 'ad_impressions', d.ad_impressions, 'store_views', d.store_views,
        'play_ms', d.play_ms, 'event_counts', d.event_counts, 'purchases', d.purchases,
        'revenue', ${DAY_REVENUE}
      ) as value
    from player_days d
    join players p on p.id = d.player_id
    where p.game_id = $1
  ), differing as (
    select player_id, day, coalesce(k.value, ${EMPTY_DAY}) as kept, coalesce(r.value, ${EMPTY_DAY}) as recounted
    from recounted r
    full join kept k using (player_id, day)
    where coalesce(k.value, ${EMPTY_DAY}) <> coalesce(r.value, ${EMPTY_DAY})
  )
  select 'player_days' as "table", coalesce(p.user_id::text, player_id::text) || ' ' || day as key, v.name,
    kept ->> v.name as kept, recounted ->> v.name as recounted, count(*) over () as total
  from differing d
  left join players p on p.id = player_id
  cross join lateral jsonb_object_keys(${EMPTY_DAY}) v(name)
  where kept -> v.name <> recounted -> v.name
    and ($2::date is null or day >= $2::date or v.name in ('purchases', 'revenue'))
  ${FIRST_FEW}`;

const MEMBERS_OF_PROFILES = PROFILE_MEMBERS.map((name) => `'${name}'`).join(', ');

/** Players as a whole; not for games that have deleted events, whose players remember more than the events tell. */
export const COMPARE_PLAYERS = `
  with counted as (
    select player_id, sum(n) as events, min(first_at) as first_at, max(last_at) as last_at, min(day) as first_day,
      max(day) as last_day
    from recount_types
    group by 1
  ), types as (
    select player_id, jsonb_object_agg(event_type, n) as counts
    from (
      select player_id, event_type, sum(n) as n,
        row_number() over (partition by player_id order by event_type collate "C") as place
      from recount_types
      group by 1, 2
    ) t
    where place <= 256
    group by 1
  ), active as (
    select player_id, range_agg(daterange(day, day + 1))::text as days
    from (select distinct player_id, day from recount_types) d
    join counted using (player_id)
    where day > last_day - 180
    group by 1
  ), bought as (
    select player_id, sum(n) as purchases, min(first_at) as first_at, max(last_at) as last_at, min(day) as first_day,
      max(day) as last_day
    from recount_purchases
    group by 1
  ), purchase_days as (
    select player_id, range_agg(daterange(day, day + 1))::text as days
    from (select distinct player_id, day from recount_purchases) d
    join bought using (player_id)
    where day > last_day - 180
    group by 1
  ), spends as (
    select player_id, jsonb_object_agg(currency, total) filter (where total <> 0) as spend,
      jsonb_object_agg(currency, again) filter (where again <> 0) as repeat_spend
    from (
      select p.player_id, p.currency, trim_scale(sum(p.total)) as total,
        trim_scale(sum(p.total) filter (where p.day <> b.first_day)) as again
      from recount_purchases p
      join bought b using (player_id)
      where p.total is not null
      group by 1, 2
    ) s
    group by 1
  ), profiles as (
    select player_id, jsonb_object_agg(name, jsonb_build_object('v', value, 't', at_ms)) as profile,
      max(at_ms) as last_ms
    from (
      select distinct on (player_id, name) player_id, name, value, at_ms
      from (
        select e.player_id, m.key as name,
          case m.key when 'country' then upper(m.value #>> '{}') else m.value #>> '{}' end as value,
          floor(1000 * extract(epoch from
            case when e.clock_suspect or e.received_at < e.occurred_at then e.received_at else e.occurred_at end))::bigint as at_ms
        from events e
        cross join lateral (
          select key, value from jsonb_each(e.metadata) where key in (${MEMBERS_OF_PROFILES})
          union all
          select 'paidCurrency', e.payload -> 'currency' where e.event_type = 'Purchase'
        ) m
        where e.game_id = $1
          and jsonb_typeof(m.value) = 'string' and length(m.value #>> '{}') between 1 and 64
      ) told
      order by player_id, name, at_ms desc, value collate "C" desc
    ) latest
    group by 1
  )
  select 'players' as "table", p.user_id::text as key, v.name, v.kept #>> '{}' as kept, v.recounted #>> '{}' as recounted,
    count(*) over () as total
  from players p
  left join counted c on c.player_id = p.id
  left join types t on t.player_id = p.id
  left join active a on a.player_id = p.id
  left join bought b on b.player_id = p.id
  left join purchase_days d on d.player_id = p.id
  left join spends s on s.player_id = p.id
  left join profiles f on f.player_id = p.id
  cross join lateral (values
    ('event_count', to_jsonb(p.event_count), to_jsonb(coalesce(c.events, 0))),
    ('event_counts', p.event_counts, coalesce(t.counts, '{}')),
    ('first_event_at', to_jsonb(p.first_event_at), to_jsonb(c.first_at)),
    ('last_event_at', to_jsonb(p.last_event_at), to_jsonb(c.last_at)),
    ('first_day', to_jsonb(p.first_day), to_jsonb(c.first_day)),
    ('active_days', to_jsonb(p.active_days), to_jsonb(coalesce(a.days, '{}'))),
    ('purchase_count', to_jsonb(p.purchase_count), to_jsonb(coalesce(b.purchases, 0))),
    ('first_purchase_at', to_jsonb(p.first_purchase_at), to_jsonb(b.first_at)),
    ('last_purchase_at', to_jsonb(p.last_purchase_at), to_jsonb(b.last_at)),
    ('purchase_days', to_jsonb(p.purchase_days), to_jsonb(coalesce(d.days, '{}'))),
    ('spend', ${SPEND}, coalesce(s.spend, '{}')),
    ('repeat_spend', ${REPEAT_SPEND}, coalesce(s.repeat_spend, '{}')),
    ('profile', p.profile, coalesce(f.profile, '{}')),
    -- in milliseconds, as the times within the profile
    ('profile_at', to_jsonb(floor(1000 * extract(epoch from p.profile_at))), to_jsonb(f.last_ms))
  ) v(name, kept, recounted)
  where p.game_id = $1 and v.kept is distinct from v.recounted
    and ($2::date is null or v.name ~ '(purchase|spend)')
  ${FIRST_FEW}`;
