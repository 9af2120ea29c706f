-- Searches by the last digits of a user id. The digits are reversed, so that those with the same end are neighbours. Written once
-- for each player. Without the game: a join by the game would take it for a way to find a player.
create index concurrently players_by_end_of_id on players ((reverse(replace(user_id::text, '-', ''))::uuid));
-- Payers by what they paid. Only a purchase or a refund changes its columns: the update by any other event stays a HOT update.
create index concurrently players_by_spend on players (game_id, main_currency(spend), main_amount(spend), id)
  where purchase_count > 0;
-- The refused events of a player, for the timeline.
create index concurrently failed_events_of_player on failed_events (player_id, received_at, id);
-- The players of a refused purchase.
create index concurrently failed_events_transaction on failed_events (game_id, transaction_id, player_id)
  where transaction_id is not null;
