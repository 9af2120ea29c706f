-- Revenue per install by cohort, and funnels: docs/adr/0039-curves-forecast-funnels.md.

-- metadata.source of the earliest event that has one, and the time of that event. The players of before this migration get
-- -infinity, which no event is earlier than: their first source may be in events that nobody has looked at, so it stays unknown.
alter table players add column source text, add column source_at timestamptz default '-infinity';
alter table players alter column source_at drop default;
comment on column players.source is 'metadata.source of the player''s earliest event that has one: where the player came from.';
comment on column players.source_at is 'The time of that event; -infinity for players of before the column, whose source is unknown.';

create table game_install_cohorts (
  game_id integer not null,
  -- week or month
  period text not null,
  -- the first day of the week (Monday) or month in which the players started
  cohort date not null,
  -- country or source
  dimension text not null,
  is_remainder boolean not null,
  value text not null,
  players bigint not null,
  primary key (game_id, dimension, period, cohort, is_remainder, value)
);
comment on table game_install_cohorts is
  'How many players started in a week or month, by country or source: the largest values, and one row for all others (is_remainder).';
comment on column game_install_cohorts.value is 'An empty text where nothing is known.';

create table game_install_revenue (
  game_id integer not null,
  period text not null,
  cohort date not null,
  dimension text not null,
  is_remainder boolean not null,
  value text not null,
  -- days since the start of each player
  age smallint not null,
  currency text not null,
  revenue numeric not null,
  primary key (game_id, dimension, period, cohort, is_remainder, value, age, currency)
);
comment on table game_install_revenue is
  'What the players of a row of game_install_cohorts paid on the day on which they were so many days old, refunds taken off.';

create table install_cohort_sums (like game_install_cohorts including all);
comment on table install_cohort_sums is 'What a run over the players (breakdown_runs) has summed so far for game_install_cohorts.';
create table install_revenue_sums (like game_install_revenue including all);
comment on table install_revenue_sums is 'The same for game_install_revenue.';

alter table breakdown_runs add column installs_summed_at timestamptz;
comment on column breakdown_runs.installs_summed_at is
  'When the last run that has ended was started: game_install_cohorts and game_install_revenue hold the days before that day.';

alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in ('dry_run', 'replay', 'override_import', 'training', 'funnel'));
