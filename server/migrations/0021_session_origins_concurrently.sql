-- Pages of the sessions of an account, newest first. It finds all that the former index found.
create index concurrently account_sessions_newest on account_sessions (account_id, created_at, token_hash);
drop index concurrently if exists account_sessions_account;
