-- Who proved a transaction, found without reading the rows of all players who merely name it.
create index concurrently transactions_held on transactions (transaction_id, game_id)
  where store is not null and (moved_at is null or moved_at < claimed_at);
