-- Long work that goes on after the request that started it: dry runs, replays, imports and trainings. The node that was asked does the
-- work; every node reads here how far it is, and what came of it. Exports have a table of their own, because any node continues them.
create table jobs (
  id uuid primary key,
  game_id integer not null references games,
  kind text not null check (kind in ('dry_run', 'replay', 'override_import', 'training')),
  -- what the work is about, such as the reason of the events that are replayed
  subject json not null,
  state text not null check (state in ('running', 'done', 'failed', 'cancelled')),
  created_by text not null,
  created_by_email text,
  created_at timestamptz not null,
  progress_done bigint not null default 0,
  progress_total bigint,
  -- of the node that does the work
  heartbeat_at timestamptz not null,
  result json,
  failure text,
  finished_at timestamptz,
  expires_at timestamptz not null
);
create index jobs_game on jobs (game_id, created_at, id);
create index jobs_expiry on jobs (expires_at);
