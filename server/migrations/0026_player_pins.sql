-- What a studio has pinned for single players, mostly test devices: a typed value, or the variant of an experiment.

create table player_pins (
  player_id bigint not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('value', 'variant')),
  -- the key of the value, or the id of the experiment
  target text not null,
  -- the value itself, or the id of the variant as a JSON text
  value jsonb not null,
  reason text not null,
  author text not null,
  author_email text,
  set_at timestamptz not null,
  until timestamptz,
  -- replaced or taken back: from then on it never was for the player, but what was said before can still be explained
  cleared_at timestamptz,
  cleared_by text,
  cleared_by_email text,
  primary key (player_id, id)
);
create unique index player_pins_current on player_pins (player_id, kind, target) where cleared_at is null;
create index player_pins_player on player_pins (player_id, set_at);
comment on table player_pins is
  'Values and variants of single players that a studio has pinned, whatever the rules say. Each change also writes players.overrides_at.';
