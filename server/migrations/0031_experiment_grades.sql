-- How often the statistics of experiments give a false alarm: comparisons of players who were all treated alike (ADR 0065).

create table experiment_grades (
  game_id integer not null,
  -- the last day before the night in which it was made
  night date not null,
  kind text not null check (kind in ('four_weeks', 'week')),
  from_day date not null,
  to_day date not null,
  players integer not null,
  verdicts jsonb not null,
  made_at timestamptz not null,
  primary key (game_id, night, kind, from_day)
);
comment on table experiment_grades is
  'Hidden A/A experiments on past days of a game, one row for each span of days: verdicts is [{"metric", "seed", "verdict", "day"}]. Kept for 28 nights.';

create table experiment_gradings (
  game_id integer not null,
  night date not null,
  standing jsonb not null,
  made_at timestamptz not null,
  primary key (game_id)
);
comment on table experiment_gradings is
  'The last night of a game whose A/A experiments are all made, and the share of false alarms in the last 28 nights.';
