-- Models of when players return and what they spend. See docs/adr/0015-predictions.md.

create table prediction_models (
  game_id integer not null references games (id),
  version integer not null,
  trained_at timestamptz not null,
  author text not null,
  -- the last day that training has seen
  trained_day date not null,
  -- players and payers that training has read, and those that there are: of very many, a sample
  players bigint not null,
  all_players bigint not null,
  payers bigint not null,
  all_payers bigint not null,
  duration_ms integer not null,
  is_promoted boolean not null,
  report jsonb not null,
  artefact jsonb not null,
  primary key (game_id, version)
);
comment on table prediction_models is
  'Every training of a game with what came out. A row is never changed; which one is in force says prediction_states.';

create table prediction_states (
  game_id integer not null references games (id),
  version integer not null,
  since timestamptz not null,
  author text not null,
  -- train, roll_back or grade
  cause text not null,
  model_version integer not null,
  -- names of models whose predictions have not come true of late
  distrusted text[] not null default '{}',
  primary key (game_id, version)
);
create index prediction_states_since on prediction_states (game_id, since);
comment on table prediction_states is
  'Which model was in force since when, and which of its parts were trusted. games.predictions_version points to the newest row.';

create table prediction_grades (
  game_id integer not null,
  -- the last day of the outcome
  day date not null,
  -- activity, purchases or conversion
  model text not null,
  model_version integer not null,
  -- whether it is what players were told: else it is the model in force now, which was not in force then
  was_told boolean not null,
  metrics jsonb not null,
  health text not null,
  graded_at timestamptz not null,
  primary key (game_id, day, model, model_version)
);
comment on table prediction_grades is
  'Day by day: what a model said a week before, compared with what happened.';

alter table games add column predictions_version integer not null default 0;
comment on column games.predictions_version is 'Of prediction_states; 0 before the first training.';
