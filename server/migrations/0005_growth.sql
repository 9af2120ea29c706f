-- What has to stay cheap while tables grow.

-- Shards of roll-ups that are not added up yet: the rows of today and yesterday, and late ones. Maintenance finds them
-- here, in time that does not depend on the years of added-up days behind them. Counting changes no column of these
-- indexes, so it stays a heap-only update.
create index game_days_shards on game_days (day, game_id, shard) where shard >= 0;
create index game_event_types_shards on game_event_types (day, game_id, event_type, shard) where shard >= 0;
create index game_cohorts_shards on game_cohorts (active_day, game_id, cohort_day, shard) where shard >= 0;
