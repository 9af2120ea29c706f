-- Purchases of erased players, by the order that a store names in a notification.
create index concurrently erased_transactions_order on erased_transactions (order_hash);
