-- Indexes for what has to stay cheap while tables grow, made while others write.

-- Shards of roll-ups that are not added up yet: the rows of today and yesterday, and late ones. Maintenance finds them
-- here, in time that does not depend on the years of added-up days behind them. Counting changes no column of these
-- indexes, so it stays a heap-only update.
create index concurrently game_days_shards on game_days (day, game_id, shard) where shard >= 0;
create index concurrently game_event_types_shards on game_event_types (day, game_id, event_type, shard) where shard >= 0;
create index concurrently game_cohorts_shards on game_cohorts (active_day, game_id, cohort_day, shard) where shard >= 0;

-- The sessions whose day has come.
create index concurrently sessions_check on sessions (check_on);

-- The entries of a quiet game among a million of its studio's. Entries without a game are found by their studio.
create index concurrently audit_log_game on audit_log (game_id, id) where game_id is not null;

-- The keys of a game, which lists count.
create index concurrently api_keys_game on api_keys (game_id);
