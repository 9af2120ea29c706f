-- What has to stay cheap while tables grow.

-- Shards of roll-ups that are not added up yet: the rows of today and yesterday, and late ones. Maintenance finds them
-- here, in time that does not depend on the years of added-up days behind them. Counting changes no column of these
-- indexes, so it stays a heap-only update.
create index game_days_shards on game_days (day, game_id, shard) where shard >= 0;
create index game_event_types_shards on game_event_types (day, game_id, event_type, shard) where shard >= 0;
create index game_cohorts_shards on game_cohorts (active_day, game_id, cohort_day, shard) where shard >= 0;

-- An index on expires_at made every refresh of a session a new entry in each of its indexes. Now refreshes leave check_on
-- alone: it is the day on which maintenance looks at the session, and either deletes it or moves check_on to the day that
-- follows from its expires_at by then. So each session is looked at about once in the lifetime of a refresh token. Sessions
-- that are here already are looked at first.
alter table sessions add column check_on date not null default current_date;
drop index sessions_expiry;
create index sessions_check on sessions (check_on);
-- room for the next version of a row beside it; the first refresh makes a row longer, too
alter table sessions set (fillfactor = 80);
comment on column sessions.check_on is 'The day on which maintenance looks whether the session can be deleted.';

-- A session that has ended is deleted at once: its row serves nobody, and a token without a session is refused.
delete from sessions where ended_at is not null;
alter table sessions drop column ended_at;

-- The entries of a quiet game among a million of its studio's. Entries without a game are found by their studio.
create index audit_log_game on audit_log (game_id, id) where game_id is not null;
