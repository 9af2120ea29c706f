-- What experiments have shown: sums and reports.

create table experiment_runs (
  game_id integer not null,
  experiment_id text not null,
  seed text not null,
  -- the publication with which it began to run
  started_at timestamptz not null,
  ended_at timestamptz,
  -- the last version that was looked at, and those that changed an arm
  checked_version integer not null,
  arm_changes jsonb not null default '[]',
  -- the last day that is summed
  day date,
  summed_at timestamptz,
  requested_at timestamptz,
  -- sums that are not done, and the last exposure in them
  walk jsonb,
  primary key (game_id, experiment_id, seed)
);
comment on table experiment_runs is
  'An experiment from its start with one seed, and how far its sums are. Maintenance adds and ends the rows by the published versions.';

create table experiment_sums (
  game_id integer not null,
  experiment_id text not null,
  seed text not null,
  day date not null,
  variant_id text not null,
  players integer not null,
  recent_players integer not null,
  two_arms integer not null,
  erased integer not null,
  metrics jsonb not null,
  primary key (game_id, experiment_id, seed, day, variant_id)
);
comment on table experiment_sums is
  'What the players of an arm did from their exposure to the end of a UTC day, as sums by metric. They name no player, so they stay when a player is erased.';

create table experiment_erased (
  game_id integer not null,
  experiment_id text not null,
  seed text not null,
  variant_id text not null,
  players integer not null,
  two_arms integer not null,
  metrics jsonb not null,
  primary key (game_id, experiment_id, seed, variant_id)
);
comment on table experiment_erased is
  'The sums of players of a running experiment who were erased, as of that day: the next sums of the arm are those of its players and these.';

create table experiment_reports (
  game_id integer not null,
  experiment_id text not null,
  seed text not null,
  day date not null,
  report jsonb not null,
  made_at timestamptz not null,
  primary key (game_id, experiment_id, seed, day)
);
comment on table experiment_reports is
  'The report of an experiment as it was on a day. The last one of an experiment that has ended is what was known at its end.';
