-- The stays of a game that ended before a day, oldest first.
create index concurrently segment_stays_left on segment_stays (game_id, left_at) where left_at is not null;
