// The attributes of the trial: every fold and every type, over two event types.
const level = (attributeId, fold, member = 'payload.level', type = 'integer') => ({
  attributeId,
  description: '',
  eventType: 'Level_Up',
  member,
  fold,
  type,
});

export const ATTRIBUTES = [
  level('level', 'last'),
  level('first_level', 'first'),
  level('lowest', 'min'),
  level('highest', 'max'),
  level('won', 'last', 'payload.won', 'boolean'),
  level('best_time', 'min', 'payload.time', 'number'),
  level('gold', 'sum', 'payload.gold'),
  level('time', 'sum', 'payload.time', 'number'),
  level('maps', 'distinct', 'payload.stats.map'),
  { ...level('bosses', 'count', null), eventType: 'Boss' },
  { ...level('build', 'last', 'metadata.clientBuild', 'string'), eventType: 'Boss' },
];

/**
 * The same by SQL over the view `events`, without the service's code: a row for each of the players $1 who has such an event, at $2. A value of
 * another type says nothing.
 */
export const ORACLE = `
  with e as materialized (
    select player_id, event_type, payload, metadata,
      date_trunc('milliseconds', case when clock_suspect then received_at else least(occurred_at, received_at) end) as at
    from events where player_id = any($1::bigint[]) and event_type in ('Level_Up', 'Boss')
  ), l as (
    select player_id, at, (at at time zone 'UTC')::date as day,
      case when jsonb_typeof(payload -> 'level') = 'number' then (payload ->> 'level')::int end as level,
      case when jsonb_typeof(payload -> 'won') = 'boolean' then (payload ->> 'won')::boolean end as won,
      (payload ->> 'gold')::bigint as gold, (payload ->> 'time')::numeric as time, payload #>> '{stats,map}' as map
    from e where event_type = 'Level_Up'
  ), b as (
    select player_id, at, (at at time zone 'UTC')::date as day, metadata ->> 'clientBuild' as build from e where event_type = 'Boss'
  ), t as (select ($2::timestamptz at time zone 'UTC')::date as today),
  ls as (
    select player_id,
      (array_agg(level order by at desc, level desc) filter (where level is not null))[1] as level,
      (array_agg(level order by at, level) filter (where level is not null))[1] as first_level,
      min(level) as lowest, max(level) as highest,
      (array_agg(won order by at desc, won desc) filter (where won is not null))[1] as won,
      min(time)::float8 as best_time,
      json_build_object('total', coalesce(sum(gold), 0), 'last7d', coalesce(sum(gold) filter (where day > today - 7), 0),
        'last28d', coalesce(sum(gold) filter (where day > today - 28), 0)) as gold,
      json_build_object('total', coalesce(sum(time), 0)::float8, 'last7d', coalesce(sum(time) filter (where day > today - 7), 0)::float8,
        'last28d', coalesce(sum(time) filter (where day > today - 28), 0)::float8) as time,
      json_build_object('total', count(distinct map), 'last7d', count(distinct map) filter (where day > today - 7),
        'last28d', count(distinct map) filter (where day > today - 28)) as maps
    from l, t group by player_id
  ), bs as (
    select player_id,
      json_build_object('total', count(*), 'last7d', count(*) filter (where day > today - 7),
        'last28d', count(*) filter (where day > today - 28)) as bosses,
      (array_agg(build order by at desc, build collate "C" desc) filter (where build is not null))[1] as build
    from b, t group by player_id
  )
  select player_id as "playerId", ls.level, first_level, lowest, highest, won, best_time, gold, time, maps, bosses, build
  from ls full join bs using (player_id)`;

const NO_DAYS = { total: 0, last7d: 0, last28d: 0 };

/** What a player without such an event has. */
export const NOTHING = {
  level: 0,
  first_level: 0,
  lowest: 0,
  highest: 0,
  won: false,
  best_time: 0,
  gold: NO_DAYS,
  time: NO_DAYS,
  maps: NO_DAYS,
  bosses: NO_DAYS,
  build: '',
};
