-- Imports of history from files, and the walk that forgets the ids of devices whose players have not come back.

create table history_imports (
  game_id integer not null references games (id),
  kind text not null check (kind in ('events', 'players')),
  file_hash bytea not null,
  file_name text not null,
  started_at timestamptz not null,
  started_by text not null,
  finished_at timestamptz,
  done_bytes bigint not null default 0,
  done_lines bigint not null default 0,
  imported bigint not null default 0,
  duplicates bigint not null default 0,
  rejected bigint not null default 0,
  rejects_bytes bigint not null default 0,
  primary key (game_id, kind, file_hash)
);
comment on table history_imports is
  'A file of history that was imported into a game, and how far. It is updated in the transaction that applies the lines, so an interrupted import goes on exactly where it was, and a file that is given again changes nothing.';
comment on column history_imports.file_hash is 'SHA-256 of the file.';
comment on column history_imports.done_bytes is 'Of the uncompressed content.';
comment on column history_imports.rejects_bytes is 'How much of the file of rejected lines belongs to the lines that are done.';

create table device_forgetting (
  only_row boolean primary key default true check (only_row),
  sealed_key bytea not null,
  walked_game_id integer not null default 0,
  walked_device_id text not null default ''
);
comment on table device_forgetting is
  'The key of the hashes that replace device ids, sealed under the master key, and the device up to which the walk over all devices has come.';
