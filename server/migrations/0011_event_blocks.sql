-- Event blocks: what arrives together is stored together. See docs/adr/0013-event-blocks.md.

drop table events;
drop table event_names;
drop function attach_event_partition(date);

-- told apart within one millisecond; drawn in advance by each connection, so the numbers are not in the order of time
create sequence event_block_ids cache 64;

create table event_blocks (
  player_id bigint not null,
  -- by the server's clock, so that no client decides on the partition
  received_at timestamptz not null,
  id bigint not null default nextval('event_block_ids'),
  game_id integer not null,
  event_count integer not null,
  -- the earliest and the latest time that the events themselves name
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- of the client that numbered its events
  install_id text,
  events jsonb not null
) partition by range (received_at);
create index event_blocks_player on event_blocks (player_id, received_at);
create index event_blocks_game on event_blocks (game_id, received_at, id);
comment on table event_blocks is
  'The new events of one player in one request. Read them through the view events, or through event_rows(events).';
comment on column event_blocks.events is
  'An array of [type, time, payload, metadata, seq, eventId, more]; what is null at the end is left out. more: {"text": the timestamp as sent, "suspect": true, "ordinal": 1, "received": epoch ms where it is not that of the block}.';
create table event_blocks_default partition of event_blocks default;

-- lz4 packs and unpacks several times as fast as the built-in method; not every PostgreSQL has it
do $$
begin
  alter table event_blocks alter column events set compression lz4;
  alter table event_blocks_default alter column events set compression lz4;
exception
  when feature_not_supported then null;
end
$$;

-- What makes an event without a number the same one when it is sent again. A generation is a quarter of a year, by the time of
-- receipt; old ones are dropped whole. One row holds the identities of a player that were received together: the index has an
-- entry for each, the table does not. A key is the player's id and 64 bits of the event's identity.
create table event_identities (
  generation date not null,
  player_id bigint not null,
  identities uuid[] not null
) partition by range (generation);
-- not gathered in a list first: every look-up would read that list
create index event_identities_key on event_identities using gin (identities) with (fastupdate = off);
create table event_identities_default partition of event_identities default;

-- Nothing is planned by what is in them, and to sample them takes as long as storing them for a while.
alter table event_blocks alter column events set statistics 0;
alter table event_blocks_default alter column events set statistics 0;
alter table event_identities alter column identities set statistics 0;
alter table event_identities_default alter column identities set statistics 0;

create table event_installs (
  player_id bigint not null,
  install_id text not null,
  -- every number that has arrived, accepted or rejected
  seen int8multirange not null,
  primary key (player_id, install_id)
) with (fillfactor = 80);
comment on table event_installs is 'The numbers of the events that have arrived from each installation of a player''s client.';

create table event_gaps (
  player_id bigint not null,
  install_id text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  game_id integer not null,
  -- when a later number arrived, and from which build and platform
  noticed_at timestamptz not null,
  client_build text,
  platform text,
  primary key (player_id, install_id, first_seq)
);
create index event_gaps_game on event_gaps (game_id, noticed_at);
comment on table event_gaps is 'Numbers of events that have not arrived though later ones have. After a grace time they count as lost.';

-- The events of a block as rows.
create function event_rows(events jsonb)
returns table (
  place bigint, event_type text, occurred_at timestamptz, payload jsonb, metadata jsonb, seq bigint, event_id text, timestamp_text text,
  clock_suspect boolean, ordinal integer, received_at timestamptz
)
language sql immutable parallel safe as $$
  select place, e ->> 0, (e ->> 1)::timestamptz, e -> 2, e -> 3, (e ->> 4)::bigint, e ->> 5, e -> 6 ->> 'text',
    coalesce((e -> 6 -> 'suspect')::boolean, false), coalesce((e -> 6 -> 'ordinal')::integer, 0),
    to_timestamp((e -> 6 -> 'received')::float8 / 1000)
  from jsonb_array_elements(events) with ordinality as b(e, place)
$$;

create view events as
select e.occurred_at, b.player_id, coalesce(e.received_at, b.received_at) as received_at, b.game_id, e.clock_suspect, e.event_type,
  e.payload, e.metadata, e.event_id, e.timestamp_text, b.install_id, e.seq
from event_blocks b
cross join lateral event_rows(b.events) e;
comment on view events is
  'Every stored event. Cheap by player_id; anything else unpacks every block of the game or of all games.';

-- Makes one partition of a table by day or quarter. False if it is there already, or if rows of that time sit in the default
-- partition: they stay there. It is made apart and then attached: `create table … partition of` would lock the whole table
-- exclusively, and every intake would queue behind that lock. Attaching locks only the default partition exclusively, which
-- is empty as a rule. Whoever holds that partition longer than the time-out makes the caller try again later.
create function attach_partition(parent text, child text, key text, first_value text, end_value text) returns boolean
language plpgsql set lock_timeout = '500ms' as $$
declare
  taken boolean;
  unsampled text;
begin
  execute format('select exists (select from %I where %I >= %L and %I < %L)', parent || '_default', key, first_value, key, end_value)
  into taken;
  if taken or to_regclass(child) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including all)', child, parent);
  -- which `like` leaves out
  for unsampled in
    select attname from pg_attribute where attrelid = parent::regclass and attstattarget = 0 and attnum > 0 and not attisdropped
  loop
    execute format('alter table %I alter column %I set statistics 0', child, unsampled);
  end loop;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, first_value, end_value);
  return true;
exception
  -- a row of that time came in between the look and the lock
  when check_violation then return false;
end
$$;
