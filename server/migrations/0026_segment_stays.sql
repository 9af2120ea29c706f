-- Segments with two thresholds on a prediction: whether a player is inside depends on whether they were before. See docs/adr/0025-two-thresholds.md.
create table segment_stays (
  player_id bigint not null,
  segment_id text not null,
  -- by which the player has entered, such as churn > 0.7, < 0.5: others know nothing of this stay
  thresholds text not null,
  entered_at timestamptz not null,
  entered_value double precision not null,
  -- null: the player is inside
  left_at timestamptz,
  left_value double precision
);
-- One stay at a time, whoever notices that it begins. Facts of a player are read by it, too.
create unique index segment_stays_open on segment_stays (player_id, segment_id, thresholds) where left_at is null;
-- What was at a moment of the past.
create index segment_stays_player on segment_stays (player_id, entered_at);
comment on table segment_stays is
  'Which players were in segments with two thresholds, from when to when; rows are kept when a stay ends, so that the past can be explained.';

alter table players add column stays_at timestamptz;
