-- Compaction: the small blocks of a closed day are rewritten into larger ones. See docs/adr/0014-compaction.md.

create table event_block_days (
  day date primary key,
  -- rewriting: larger blocks are being written to a table beside; deferred: was changed
  -- meanwhile, and is rewritten later; compacted: the larger blocks are in place; kept: compaction would gain too little
  state text not null check (state in ('rewriting', 'deferred', 'compacted', 'kept')),
  -- A window reaches to the start of the next one, the last to the end of the day. A block holds events of one window, received
  -- at different times. Null: all events of a block were received together.
  window_starts timestamptz[],
  -- the windows of the larger blocks, and which pages of the day have been rewritten
  new_window_starts timestamptz[],
  done_pages integer not null default 0,
  total_pages integer not null default 0,
  -- why the larger blocks are not in place yet
  waits_for text check (waits_for in ('snapshot', 'lock', 'default_partition')),
  restarts integer not null default 0,
  changed_at timestamptz not null default now()
);
comment on table event_block_days is
  'Days of event_blocks, by time of receipt, in which blocks hold events of several times of receipt, or whose compaction is going on.';

-- A row for each transaction that changed blocks of a day while it was being rewritten.
create table event_block_changes (
  day date not null,
  changed_by xid8 not null,
  primary key (day, changed_by)
);

create function note_event_block_change() returns trigger
language plpgsql as $$
begin
  -- Only this transaction can have a row of this key, so nobody waits for anybody.
  insert into event_block_changes (day, changed_by) values (tg_argv[0]::date, pg_current_xact_id()) on conflict do nothing;
  return null;
end
$$;
