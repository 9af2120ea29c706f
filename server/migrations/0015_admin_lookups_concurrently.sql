-- Look-ups of the admin API, made while others write.

-- The devices of a player.
create index concurrently devices_player on devices (player_id);

-- Who has a transaction of this id. The condition keeps PostgreSQL 18 to statements that name the game: see 0012.
create index concurrently transactions_of_game on transactions (game_id, transaction_id, player_id) where game_id is not null;

-- The sessions of a player, newest first. It serves whatever sessions_player served.
create index concurrently sessions_of_player on sessions (player_id, created_at);
drop index concurrently if exists sessions_player;

-- Versions by the time of their publication, for time axes.
create index concurrently config_versions_published on config_versions (game_id, published_at, version);
