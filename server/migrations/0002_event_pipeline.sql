-- What events mean: player days, roll-ups per game and day, the event-type registry and the inbox of failed events.

alter table players
  -- the UTC day of the first event; unlike active_days it is never forgotten
  add column first_day date,
  add column purchase_days datemultirange not null default '{}',
  add column repeat_spend jsonb not null default '{}',
  -- last known country, locale, osName, osVersion, deviceType: {"country":{"v":"DE","t":1794700000000}}
  add column profile jsonb not null default '{}',
  -- the latest time in it: what is later than all of it is simply laid over it
  add column profile_at timestamptz;
comment on column players.repeat_spend is 'Spend without the first day of purchase, exact decimal per currency.';

create table player_days (
  player_id bigint not null,
  day date not null,
  events integer not null default 0,
  sessions integer not null default 0,
  ad_impressions integer not null default 0,
  store_views integer not null default 0,
  play_ms bigint not null default 0,
  event_counts jsonb not null default '{}',
  -- recomputed from the transactions table, like the purchase columns of players
  purchases integer not null default 0,
  revenue jsonb not null default '{}',
  primary key (player_id, day)
) with (fillfactor = 80);
comment on table player_days is 'What a player did on a UTC day; windows of 7 and 28 days are sums over it.';

-- Roll-ups per game and UTC day. Several rows (shards) a day, added up when read: two connections rarely write the same
-- one, so no transaction waits for another just to count.
create table game_days (
  game_id integer not null,
  day date not null,
  shard smallint not null,
  active_players bigint not null default 0,
  new_players bigint not null default 0,
  paying_players bigint not null default 0,
  events bigint not null default 0,
  sessions bigint not null default 0,
  ad_impressions bigint not null default 0,
  store_views bigint not null default 0,
  play_ms bigint not null default 0,
  purchases bigint not null default 0,
  revenue jsonb not null default '{}',
  primary key (game_id, day, shard)
) with (fillfactor = 60);

-- A row a type, not an object in game_days: a client that invents types adds rows, and can neither displace the real ones
-- nor make a row that everybody writes grow without end.
create table game_event_types (
  game_id integer not null,
  day date not null,
  event_type text not null,
  shard smallint not null,
  events bigint not null default 0,
  primary key (game_id, day, event_type, shard)
) with (fillfactor = 60);

create table game_cohorts (
  game_id integer not null,
  -- the UTC day on which the players were created
  cohort_day date not null,
  active_day date not null,
  shard smallint not null,
  players bigint not null default 0,
  primary key (game_id, cohort_day, active_day, shard)
) with (fillfactor = 60);
comment on table game_cohorts is 'How many players created on one day were active on another: retention.';

-- The shard that this connection writes to. Folding events, recounting purchases and counting new players each have a
-- range of their own. A transaction that does several of them then still takes its locks in one order (roll-ups of
-- events, cohorts, transactions, roll-ups of purchases), also when two connections share a shard: without the ranges,
-- a recount would come back for rows that another transaction, waiting for the cohorts of the first, has locked.
create function rollup_shard(work text) returns smallint
language sql stable as $$
  select (pg_backend_pid() % 32 + case work when 'events' then 0 when 'purchases' then 32 when 'players' then 64 end)::smallint
$$;

-- The later of two entries {"v":"DE","t":1794700000000}; equal times are decided by the value, so that order does not
-- matter.
create function later_entry(a jsonb, b jsonb) returns jsonb
language sql immutable parallel safe as $$
  select case
    when a is null then b
    when b is null then a
    when (a ->> 't')::bigint > (b ->> 't')::bigint then a
    when (a ->> 't')::bigint < (b ->> 't')::bigint then b
    when (a ->> 'v') collate "C" >= (b ->> 'v') collate "C" then a
    else b
  end
$$;

create function merge_profiles(a jsonb, b jsonb) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'country', later_entry(a -> 'country', b -> 'country'),
    'locale', later_entry(a -> 'locale', b -> 'locale'),
    'osName', later_entry(a -> 'osName', b -> 'osName'),
    'osVersion', later_entry(a -> 'osVersion', b -> 'osVersion'),
    'deviceType', later_entry(a -> 'deviceType', b -> 'deviceType')
  ))
$$;

create function jsonb_negate(a jsonb) returns jsonb
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(key, -value::numeric), '{}') from jsonb_each_text(a)
$$;

create aggregate jsonb_total(jsonb) (sfunc = jsonb_add, stype = jsonb, initcond = '{}');

alter table games
  -- null: events are kept for ever
  add column retention_days integer check (retention_days between 1 and 36500),
  -- events before this day have been deleted: one sent again can no longer be told from one counted before
  add column events_deleted_before date,
  -- how far deletion has come: no event before this day is left, or ever comes back
  add column events_cleaned_before date,
  add column unregistered_types text not null default 'accept' check (unregistered_types in ('accept', 'hold')),
  -- moves with every change of the game's event types; read with every player row, so that no node checks by old ones
  add column registry_version integer not null default 0;

drop function ensure_event_partitions(date, date);

-- Makes the partition of a day. False if there is one, or if rows of that day sit in the default partition already: they
-- stay there. It is made apart and then attached: `create table … partition of` would lock all of events exclusively, and
-- behind that lock, while it waits for the transactions at work, every intake would queue. Attaching locks events in a
-- mode that no insert conflicts with, and only the default partition exclusively, to read it through once: events of
-- ordinary times never wait. Whoever holds that partition longer than the time-out makes the caller try again later.
create function attach_event_partition(day date) returns boolean
language plpgsql set lock_timeout = '500ms' as $$
declare
  name text := 'events_' || to_char(day, 'YYYYMMDD');
  first_at timestamptz := day::timestamp at time zone 'UTC';
  end_at timestamptz := (day + 1)::timestamp at time zone 'UTC';
begin
  if to_regclass(name) is not null
    or exists (select from events_default where occurred_at >= first_at and occurred_at < end_at) then
    return false;
  end if;
  execute format('create table %I (like events including all)', name);
  execute format('alter table events attach partition %I for values from (%L) to (%L)', name, first_at, end_at);
  return true;
exception
  -- a row of that day came in between the look and the lock
  when check_violation then return false;
end
$$;

create table event_types (
  game_id integer not null references games,
  event_type text not null,
  version integer not null check (version > 0),
  schema json not null,
  author text not null,
  created_at timestamptz not null,
  -- the newest version of a type counts; a retired one counts as not registered
  retired_at timestamptz,
  primary key (game_id, event_type, version)
);
comment on column event_types.schema is 'JSON Schema, draft 2020-12, for the whole event.';

create table failed_events (
  id bigint generated always as identity primary key,
  game_id integer not null,
  player_id bigint not null,
  -- digest of the raw text and its ordinal, so that a batch sent again does not fill the inbox again
  fingerprint uuid not null,
  -- tells identical twins of one batch apart, as the identity of an event does
  ordinal smallint not null default 0,
  code text not null,
  message text not null,
  -- JSON pointer to the culprit, empty for the event as a whole
  path text not null default '',
  event_type text,
  raw text not null,
  -- the raw text was too long and only its beginning is here: it cannot be replayed as it is
  is_cut boolean not null default false,
  client_build text,
  received_at timestamptz not null,
  replayed_at timestamptz,
  -- the event that was replayed, where it was edited first
  replayed_as text,
  unique (player_id, fingerprint)
);
create index failed_events_open on failed_events (game_id, code, id) include (event_type, received_at)
  where replayed_at is null;
create index failed_events_age on failed_events (received_at);
comment on table failed_events is 'Events that were refused, with the reason: corrected and replayed, or deleted after 30 days.';

create table failed_event_totals (
  game_id integer primary key,
  entries bigint not null default 0,
  bytes bigint not null default 0
) with (fillfactor = 50);
comment on table failed_event_totals is
  'Open failed events of a game and the size of their raw text: what the cap on the inbox is measured by.';
