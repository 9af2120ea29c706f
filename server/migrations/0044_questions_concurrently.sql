-- The questions in SQL of a game: an erasure takes ids of the player out of them.
create index concurrently audit_log_questions on audit_log (game_id, id) where action = 'event_files.ask';
