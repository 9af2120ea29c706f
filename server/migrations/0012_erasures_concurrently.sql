-- Devices that were attached to another player, by the player that they had before.
create index concurrently devices_own_player on devices (own_player_id) where own_player_id is not null;
-- The entries about a player: `player <user id> …`.
create index concurrently audit_log_player on audit_log (substr(target, 8, 36)) where target like 'player %';
-- Imports of overrides and moves of purchases name players elsewhere in the entry.
create index concurrently audit_log_naming_players on audit_log (game_id, id) where action in ('override.import', 'purchase.move');
