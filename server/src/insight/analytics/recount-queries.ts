import { REPORTED_BY_DAY, SOURCE_MEMBER } from '../../core/events/intake/player-profile.js';

/**
 * The full recount. It shares no SQL with the statements that keep the roll-ups, so that a mistake in one is not repeated in the
 * other. All of it runs in one repeatable-read transaction, on one state of the database, while events go on coming in.
 *
 * Each comparison gives one row per value that differs: where it is (`key`), which one (`name`), as it is kept and as it
 * was counted. Zeros and absent rows are the same. Values are compared as numbers and JSON, never as text: `5.0` is `5.00`.
 */

/**
 * Statements about players read those after $1 up to $2 (see `PlayerRange`): some at a time fit into memory. Then $3 is the game,
 * and $4 the day before which its events have been deleted, or null.
 */
const IN_RANGE = 'player_id > $1::bigint and player_id <= $2::bigint';
const PLAYERS_IN_RANGE = 'p.id > $1::bigint and p.id <= $2::bigint';

const NAMED_TYPES = `
  coalesce(sum(n) filter (where event_type = 'Session_Start'), 0) as sessions,
  coalesce(sum(n) filter (where event_type = 'Ad_Impression'), 0) as ad_impressions,
  coalesce(sum(n) filter (where event_type = 'Store_View'), 0) as store_views,
  sum(play_ms) as play_ms`;

/** `total` says how many there are. */
const FIRST_FEW = 'order by 2, 3 limit 1000';

/** The earlier of the first login and the first event of each player. The player's row remembers events that have been deleted. */
const PLAYER_STARTS = `
    select p.id as player_id,
      least((p.created_at at time zone 'UTC')::date, e.first_day, case when $4::date is not null then p.first_day end) as start_day
    from players p
    left join (select player_id, min(day) as first_day from recount_types where ${IN_RANGE} group by 1) e on e.player_id = p.id
    where p.game_id = $3 and ${PLAYERS_IN_RANGE}`;

/** Adds what some players did to the days of the game. A player is in one range only, so players can be added up as well. */
export const ADD_UP_DAYS = `
  insert into recount_days
  select day, v.name, v.value
  from (
    select day, count(distinct player_id) as active_players, sum(n) as events, ${NAMED_TYPES}
    from recount_types where ${IN_RANGE} group by day
  ) d
  cross join lateral (values
    ('active_players', d.active_players), ('events', d.events), ('sessions', d.sessions),
    ('ad_impressions', d.ad_impressions), ('store_views', d.store_views), ('play_ms', d.play_ms)
  ) v(name, value)
  union all
  select day, 'event_types.' || event_type, sum(n) from recount_types where ${IN_RANGE} group by 1, 2
  union all
  select day, 'purchases', sum(n) from recount_purchases where ${IN_RANGE} group by 1
  union all
  select day, 'paying_players', count(distinct player_id) from recount_purchases where ${IN_RANGE} group by 1
  union all
  select day, 'revenue.' || currency, sum(total) from recount_purchases where total is not null and ${IN_RANGE} group by 1, 2
  union all
  select start_day, 'new_players', count(*) from (${PLAYER_STARTS}
  ) s group by 1`;

export const ADD_UP_COHORTS = `
  insert into recount_cohorts
  select s.start_day, a.day, count(*)
  from (select distinct player_id, day from recount_types where ${IN_RANGE}) a
  join (${PLAYER_STARTS}
  ) s using (player_id)
  group by 1, 2`;

/** $1 is the game, $2 the day before which its events have been deleted, or null. */
export const COMPARE_GAME_DAYS = `
  with recounted as (
    select day::text as key, name, sum(value) as value
    from (
      select day, name, value from recount_days
      union all
      -- the roll-ups still have what erased players did
      select day, name, value from erased_days where game_id = $1
    ) d
    group by 1, 2
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
    union all
    select day::text, 'verified_revenue.' || r.key, sum(r.value::numeric)
    from shards cross join jsonb_each_text(verified_revenue) r group by 1, 2
  )
  select 'game_days' as "table", key, name, trim_scale(coalesce(k.value, 0))::text as kept,
    trim_scale(coalesce(r.value, 0))::text as recounted, count(*) over () as total
  from recounted r
  full join kept k using (key, name)
  where coalesce(r.value, 0) <> coalesce(k.value, 0)
    and ($2::date is null or key >= $2::date::text or name ~ '^(purchases|paying_players|new_players|revenue\\.|verified_revenue\\.)')
  ${FIRST_FEW}`;

export const COMPARE_COHORTS = `
  with recounted as (
    select cohort_day, active_day, sum(players) as players
    from (
      select cohort_day, active_day, players from recount_cohorts
      union all
      select cohort_day, active_day, players from erased_cohorts where game_id = $1
    ) c
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

/** The columns of a day that hold a report, and the member of the profile that each comes from. */
const LAST_OF_DAY = REPORTED_BY_DAY.map(
  ([name, member]) => `max(value) filter (where member = '${member}') as ${name},
      max(last_reported_ms % 86400000) filter (where member = '${member}') as ${name}_ms`,
).join(', ');
const REPORT_COLUMNS = REPORTED_BY_DAY.map(([name]) => `d.${name}, d.${name}_ms`).join(', ');

/** What is kept of a player's day, and what a day without a row counts as. */
const DAY_VALUES = [
  ['events', '0'],
  ['sessions', '0'],
  ['ad_impressions', '0'],
  ['store_views', '0'],
  ['play_ms', '0'],
  ['event_counts', `'{}'::jsonb`],
  ['purchases', '0'],
  ['revenue', `'{}'::jsonb`],
  ...REPORTED_BY_DAY.flatMap(([name]) => [[name, `''`] as const, [`${name}_ms`, '-1'] as const]),
] as const;
const KEPT_DAY = DAY_VALUES.map(([name, empty]) => `coalesce(k.${name}, ${empty})`).join(', ');
const RECOUNTED_DAY = DAY_VALUES.map(([name, empty]) => `coalesce(r.${name}, ${empty})`).join(', ');
const KEPT_AND_RECOUNTED = DAY_VALUES.map(
  ([name, empty]) =>
    `('${name}', to_jsonb(coalesce(k.${name}, ${empty})), to_jsonb(coalesce(r.${name}, ${empty})))`,
).join(', ');

/** Days of players. Each day is compared as a whole first: nearly all of them agree. */
export const COMPARE_PLAYER_DAYS = `
  with event_days as (
    select player_id, day, sum(n) as events, ${NAMED_TYPES},
      jsonb_object_agg(event_type, n) filter (where place <= 256) as event_counts
    from (
      select player_id, day, event_type, sum(n) as n, sum(play_ms) as play_ms,
        row_number() over (partition by player_id, day order by event_type collate "C") as place
      from recount_types
      where ${IN_RANGE}
      group by 1, 2, 3
    ) t
    group by 1, 2
  ), purchase_days as (
    select player_id, day, sum(n) as purchases,
      coalesce(jsonb_object_agg(currency, total) filter (where total <> 0), '{}') as revenue
    from recount_purchases
    where ${IN_RANGE}
    group by 1, 2
  ), report_days as (
    select player_id, day, ${LAST_OF_DAY}
    from (
      select distinct on (player_id, day, member) player_id, day, member, value, last_reported_ms
      from recount_profiles
      where ${IN_RANGE}
      order by player_id, day, member, last_reported_ms desc, value desc
    ) l
    group by 1, 2
  ), recounted_days as (
    select * from event_days left join report_days using (player_id, day) full join purchase_days using (player_id, day)
  ), kept_days as (
    select d.player_id, d.day, d.events, d.sessions, d.ad_impressions, d.store_views, d.play_ms, d.event_counts, d.purchases, ${REPORT_COLUMNS},
      case when d.revenue = '{}' then d.revenue else ${DAY_REVENUE} end as revenue
    from player_days d
    join players p on p.id = d.player_id
    where p.game_id = $3 and ${PLAYERS_IN_RANGE}
  )
  select 'player_days' as "table", coalesce(p.user_id::text, player_id::text) || ' ' || day as key, v.name,
    v.kept #>> '{}' as kept, v.recounted #>> '{}' as recounted, count(*) over () as total
  from recounted_days r
  full join kept_days k using (player_id, day)
  left join players p on p.id = player_id
  cross join lateral (values ${KEPT_AND_RECOUNTED}) v(name, kept, recounted)
  where row(${KEPT_DAY}) is distinct from row(${RECOUNTED_DAY}) and v.kept <> v.recounted
    and ($4::date is null or day >= $4::date or v.name in ('purchases', 'revenue'))
  ${FIRST_FEW}`;

/** Players as a whole. Where events have been deleted, only purchases can be compared: the players remember more than the events. */
export const COMPARE_PLAYERS = `
  with event_totals as (
    select player_id, sum(n) as events, min(first_at) as first_at, max(last_at) as last_at, min(day) as first_day,
      max(day) as last_day
    from recount_types
    where ${IN_RANGE}
    group by 1
  ), type_counts as (
    select player_id, jsonb_object_agg(event_type, n) as counts
    from (
      select player_id, event_type, sum(n) as n,
        row_number() over (partition by player_id order by event_type collate "C") as place
      from recount_types
      where ${IN_RANGE}
      group by 1, 2
    ) t
    where place <= 256
    group by 1
  ), active_days as (
    select player_id, range_agg(daterange(day, day + 1))::text as days
    from (select distinct player_id, day from recount_types where ${IN_RANGE}) d
    join event_totals using (player_id)
    where day > last_day - 180
    group by 1
  ), purchase_totals as (
    select player_id, sum(n) as purchases, min(first_at) as first_at, max(last_at) as last_at, min(day) as first_day,
      max(day) as last_day
    from recount_purchases
    where ${IN_RANGE}
    group by 1
  ), purchase_days as (
    select player_id, range_agg(daterange(day, day + 1))::text as days
    from (select distinct player_id, day from recount_purchases where ${IN_RANGE}) d
    join purchase_totals using (player_id)
    where day > last_day - 180
    group by 1
  ), spend_totals as (
    select player_id, jsonb_object_agg(currency, total) filter (where total <> 0) as spend,
      jsonb_object_agg(currency, again) filter (where again <> 0) as repeat_spend
    from (
      select p.player_id, p.currency, trim_scale(sum(p.total)) as total,
        trim_scale(sum(p.total) filter (where p.day <> b.first_day)) as again
      from recount_purchases p
      join purchase_totals b using (player_id)
      where p.total is not null
      group by 1, 2
    ) s
    group by 1
  ), last_reported as (
    select distinct on (player_id, member) player_id, member, value, last_reported_ms
    from recount_profiles
    where member <> '${SOURCE_MEMBER}' and ${IN_RANGE}
    order by player_id, member, last_reported_ms desc, value desc
  ), sources as (
    select distinct on (player_id) player_id, value, first_reported_ms
    from recount_profiles
    where member = '${SOURCE_MEMBER}' and ${IN_RANGE}
    order by player_id, first_reported_ms, value
  ), profiles as (
    select player_id, jsonb_object_agg(member, jsonb_build_object('v', value, 't', last_reported_ms)) as profile,
      max(last_reported_ms) as last_ms
    from last_reported
    group by 1
  )
  select 'players' as "table", p.user_id::text as key, v.name, v.kept #>> '{}' as kept, v.recounted #>> '{}' as recounted,
    count(*) over () as total
  from players p
  left join event_totals c on c.player_id = p.id
  left join type_counts t on t.player_id = p.id
  left join active_days a on a.player_id = p.id
  left join purchase_totals b on b.player_id = p.id
  left join purchase_days d on d.player_id = p.id
  left join spend_totals s on s.player_id = p.id
  left join profiles f on f.player_id = p.id
  -- players of before the column: their source stays unknown
  left join sources o on o.player_id = p.id and p.source_at is distinct from '-infinity'
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
    ('profile_at', to_jsonb(floor(1000 * extract(epoch from p.profile_at))), to_jsonb(f.last_ms)),
    ('source', to_jsonb(p.source), to_jsonb(o.value)),
    ('source_at', to_jsonb(floor(1000 * extract(epoch from nullif(p.source_at, '-infinity')))), to_jsonb(o.first_reported_ms))
  ) v(name, kept, recounted)
  where p.game_id = $3 and ${PLAYERS_IN_RANGE} and v.kept is distinct from v.recounted
    and ($4::date is null or v.name ~ '(purchase|spend)')
  ${FIRST_FEW}`;
