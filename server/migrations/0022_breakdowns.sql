-- Weekly and monthly active players, the numbers of each day by country, platform, build, SKU and promotion, and the players who are held
-- out against the rest (ADR 0023). Maintenance sums all of it from players, their days and their transactions. Nothing here is written
-- while events are taken in.

create table game_active_players (
  game_id integer not null,
  day date not null,
  weekly bigint not null,
  monthly bigint not null,
  primary key (game_id, day)
);
comment on table game_active_players is
  'How many players were active on at least one of the 7, or 30, UTC days that end with a day.';

create table game_breakdowns (
  game_id integer not null,
  dimension text not null,
  day date not null,
  is_rest boolean not null,
  value text not null,
  active_players bigint not null,
  new_players bigint not null,
  paying_players bigint not null,
  purchases bigint not null,
  revenue jsonb not null,
  d1 bigint not null,
  d7 bigint not null,
  d28 bigint not null,
  d30 bigint not null,
  primary key (game_id, dimension, day, is_rest, value)
);
comment on table game_breakdowns is
  'The numbers of a day by country, platform, build, SKU or promotion: the largest values, and one row for all others (is_rest).';
comment on column game_breakdowns.value is 'An empty text where nothing is known.';
comment on column game_breakdowns.d1 is 'Of the new players of the day: how many were active on the 1st day after.';

create table game_breakdown_days (
  game_id integer not null,
  day date not null,
  totals jsonb not null,
  summed_at timestamptz not null,
  primary key (game_id, day)
);
comment on table game_breakdown_days is
  'What the roll-ups said of a day when it was broken down. A day of which they say something else by now is broken down again.';

create table breakdown_work (
  game_id integer primary key,
  totals jsonb,
  behind bigint not null default 0,
  spent_ms bigint not null default 0,
  begun_at timestamptz not null,
  ended_at timestamptz
);
comment on table breakdown_work is
  'How far the walk through the players of a game is. totals: the days that are being summed, with what the roll-ups said of each when the walk began; null between two walks.';

create table breakdown_sums (
  game_id integer not null,
  dimension text not null,
  day date not null,
  is_rest boolean not null,
  value text not null,
  active_players bigint not null,
  new_players bigint not null,
  paying_players bigint not null,
  purchases bigint not null,
  revenue jsonb not null,
  d1 bigint not null,
  d7 bigint not null,
  d28 bigint not null,
  d30 bigint not null,
  primary key (game_id, dimension, day, is_rest, value)
);
comment on table breakdown_sums is
  'What the walk has summed so far. The dimensions weekly and monthly hold by how much the active players of each day differ from those of the day before.';

create table holdout_comparisons (
  game_id integer not null,
  day date not null,
  from_day date not null,
  holdout_percent numeric not null,
  sums jsonb not null,
  behind bigint,
  summed_at timestamptz not null,
  primary key (game_id, day)
);
comment on table holdout_comparisons is
  'What players who are held out, and the rest, spent from from_day to day. behind: how far the walk through the players is; null when it is over.';

-- With clientBuild, which clients tell in the metadata of their events.
create or replace function merge_profiles(a jsonb, b jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'country', later_entry(a -> 'country', b -> 'country'),
    'locale', later_entry(a -> 'locale', b -> 'locale'),
    'osName', later_entry(a -> 'osName', b -> 'osName'),
    'osVersion', later_entry(a -> 'osVersion', b -> 'osVersion'),
    'deviceType', later_entry(a -> 'deviceType', b -> 'deviceType'),
    'clientBuild', later_entry(a -> 'clientBuild', b -> 'clientBuild'),
    'currency', later_entry(a -> 'currency', b -> 'currency'),
    'paidCurrency', later_entry(a -> 'paidCurrency', b -> 'paidCurrency')
  ))
$$;
