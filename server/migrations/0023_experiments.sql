-- Experiments: which arm a player was shown first, and which experiments of a game run.

create table experiment_exposures (
  player_id bigint not null,
  experiment_id text not null,
  -- another seed draws all players anew, so it is another exposure
  seed text not null,
  variant_id text not null,
  exposed_at timestamptz not null,
  activated_at timestamptz,
  game_id integer not null,
  primary key (player_id, experiment_id, seed)
);
-- the exposures of one experiment in the order of time, page by page
create index experiment_exposures_listed
  on experiment_exposures (game_id, experiment_id, seed, exposed_at, player_id);
comment on table experiment_exposures is
  'The first response to a player that depended on an arm of an experiment. The arm is kept: see docs/adr/0056-experiments.md.';
comment on column experiment_exposures.activated_at is
  'The first event of the activation type after the exposure; null until then, and for experiments without one.';

alter table games add column running_experiments jsonb;
comment on column games.running_experiments is
  'The running experiments of the published version as [experimentId, seed, activation event type or null]; null if none runs. Set by each publication.';
