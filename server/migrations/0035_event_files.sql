-- Closed days as files for analysts (ADR 0068).

create table player_keys (
  player_id bigint not null primary key,
  key uuid not null default gen_random_uuid()
);
comment on table player_keys is
  'What a player is called in the files for analysts: drawn at random, the same in all files. An erasure deletes the row, and nothing else leads from the key to the player.';

create table event_files (
  game_id integer not null,
  day date not null,
  generation integer not null,
  file text not null,
  events bigint not null,
  bytes bigint not null,
  sha256 bytea not null,
  written_at timestamptz not null,
  primary key (game_id, day)
);
create index event_files_day on event_files (day);
comment on table event_files is
  'The file with the events of a game that were received on a closed day. A later generation of the file takes the place of the row.';
comment on column event_files.file is 'Its name in the folder of the studio and the game.';

create table event_file_days (
  day date not null primary key
);
comment on table event_file_days is
  'A closed day that is watched: whoever changes a block of it leaves a row in event_file_changes.';

create table event_file_changes (
  day date not null,
  game_id integer not null,
  changed_by xid8 not null,
  is_deletion boolean not null,
  noted_at timestamptz not null default now(),
  primary key (day, game_id, changed_by, is_deletion)
);
comment on table event_file_changes is
  'A transaction after which the file of a game and day has to be written, for the first time or again. The row is deleted when a file stands that was read after the transaction.';

-- The trigger of a watched day.
create function note_event_file_change() returns trigger
language plpgsql as $$
begin
  -- Only this transaction can have a row of this key, so nobody waits for anybody.
  insert into event_file_changes (day, game_id, changed_by, is_deletion)
  values (tg_argv[0]::date, coalesce(new.game_id, old.game_id), pg_current_xact_id(), tg_op = 'DELETE')
  on conflict do nothing;
  return null;
end
$$;

-- With the rights of the schema's owner, as in 0030_roles.sql.
create function watch_event_day(day date) returns void
language plpgsql as $$
begin
  execute pg_catalog.format(
    'create or replace trigger note_file_change after insert or update or delete on %I
     for each row execute function note_event_file_change(%L)',
    'event_blocks_' || pg_catalog.to_char(day::timestamp, 'YYYYMMDD'::text), day
  );
end
$$;

do $$
begin
  execute format(
    'alter function watch_event_day(date) security definer set search_path = %I, pg_temp', current_schema()
  );
end
$$;
revoke execute on function watch_event_day(date) from public;
