-- Attributes that a game defines itself, folded from its events (ADR 0060).

alter table players add column own_attributes json;
alter table players add column own_attributes_version integer;
comment on column players.own_attributes is
  'What the game defines itself: {"<key of the definition>": entry}; null in an entry: no event has said anything. Every key covers all events of the player that have been applied.';
comment on column players.own_attributes_version is
  'The version in own_attribute_sets by which events of the player are folded; null: by none, unless the player has no event yet.';

alter table games add column own_attributes_version integer;
comment on column games.own_attributes_version is 'The last version in own_attribute_sets; null: the game never had own attributes.';

create table own_attribute_sets (
  game_id integer not null,
  version integer not null,
  definitions jsonb not null,
  created_at timestamptz not null,
  last_player_id bigint not null default 0,
  players_done bigint not null default 0,
  players bigint,
  walked_at timestamptz,
  finished_at timestamptz,
  primary key (game_id, version)
);
create index own_attribute_sets_unfinished on own_attribute_sets (game_id, version) where finished_at is null;
comment on table own_attribute_sets is
  'The own attributes of a game, as they were defined together. A set never changes: [{"eventType", "member", "fold", "type"}].';
comment on column own_attribute_sets.last_player_id is 'How far the walk has come that brings the players of the game to this set.';
comment on column own_attribute_sets.players is 'How many players there were when the walk began; null: it has not begun.';
comment on column own_attribute_sets.walked_at is 'When the last turn of the walk began; null: none has. Unfinished walks take turns.';
comment on column own_attribute_sets.finished_at is 'When every player was at this set, or a newer one took its place.';
