-- Every login writes these three tables, and each foreign key made PostgreSQL look up and lock the row that it points at, all
-- logins of a game the same one: 60 of the 197 µs that a first login cost it, 25 of 109 for a returning one. The statement
-- that inserts the rows joins what they point at (features/session/session-queries.ts), keys and games are never deleted,
-- and a session without its player is never found. See docs/adr/0009-no-foreign-keys-behind-logins.md.

-- in the order in which a login writes them, so that it and this do not wait for one another
alter table devices drop constraint devices_player_id_fkey, drop constraint devices_game_id_fkey;
alter table players drop constraint players_game_id_fkey;
alter table sessions drop constraint sessions_player_id_fkey, drop constraint sessions_key_id_fkey;
