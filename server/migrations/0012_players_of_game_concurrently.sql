-- PostgreSQL 18 may search an index by a column that is not its first one ("skip scan"). It took players_game for look-ups by id
-- where its statistics knew of one game, and then read the whole index as soon as there were a thousand. The condition keeps it
-- to statements that name the game.
create index concurrently players_of_game on players (game_id, id) where game_id is not null;
drop index concurrently if exists players_game;
