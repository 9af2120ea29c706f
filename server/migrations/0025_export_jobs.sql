-- Exports that the admin API runs in the background. How far one has come is written with the chunk that it has come to, so that any node
-- goes on with it after an interruption.
create table export_jobs (
  id uuid primary key,
  tenant_id integer not null references tenants,
  game_id integer not null references games,
  format text not null,
  -- as the export takes them: to the microsecond, and in the order of the alphabet
  span_from text not null,
  span_to text not null,
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  created_by text not null,
  created_at timestamptz not null,
  -- of the estimate, and of what was shown last
  expected_events bigint not null,
  shown_events bigint not null default 0,
  -- of the chunks
  chunks integer not null default 0,
  events bigint not null default 0,
  bytes bigint not null default 0,
  cursor json,
  -- who is at work, and when that was last heard
  worker uuid,
  heartbeat_at timestamptz,
  attempts integer not null default 0,
  failure text,
  finished_at timestamptz,
  expires_at timestamptz not null
);
create index export_jobs_game on export_jobs (game_id, created_at, id);
create index export_jobs_tenant on export_jobs (tenant_id, created_at);
create index export_jobs_open on export_jobs (created_at, id) where state in ('waiting', 'running');
create index export_jobs_expiry on export_jobs (expires_at);

create table export_chunks (
  job_id uuid not null,
  number integer not null,
  data bytea not null,
  primary key (job_id, number)
);
comment on table export_chunks is 'Members of a gzip file, in their order. Without a foreign key: they are deleted before their job, some at a time.';
