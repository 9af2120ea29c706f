-- How large the segments of a game were, day by day: sizes are counted when they are asked for, and nothing else remembers them.
create table segment_size_days (
  game_id integer not null references games (id),
  day date not null,
  -- the published version that the segments were of
  version integer not null,
  players bigint not null,
  -- segment id → players, an estimate for a game of many players
  sizes jsonb not null,
  primary key (game_id, day)
);
comment on table segment_size_days is
  'The last count of the segments of each day. A year is kept; maintenance counts on days on which nobody looks.';
