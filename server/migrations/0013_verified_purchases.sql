-- Purchases that a store or the studio's server has proved, what the stores say about them later, and each game's settings for it.

-- no check constraints: PostgreSQL would read the whole table for them
alter table transactions
  add column store text,
  add column claimed_at timestamptz,
  add column moved_at timestamptz,
  add column notice_at timestamptz,
  add column notice_share numeric,
  add column notice_refunded_at timestamptz,
  add column reported_refund_at timestamptz,
  add column paid_price numeric;
comment on table transactions is
  'A purchase. It counts once per player, so that nobody can claim another player''s; a verified one counts for the last player who proved it. Purchases are counted by the difference that a row makes: the cost does not depend on how many a player has.';
comment on column transactions.store is 'Who proved it: apple, google, or server for the studio''s own; null: only the client says so.';
comment on column transactions.refunded_at is 'From when it does not count: refunded, or proved by another player since. Worked out from the columns below.';
comment on column transactions.claimed_at is 'When the player last proved it.';
comment on column transactions.moved_at is 'When another player last proved it.';
comment on column transactions.notice_at is 'When the store signed its last word on refunds.';
comment on column transactions.notice_share is 'How much the store gave back by that: 1 all, 0 nothing any more.';
comment on column transactions.reported_refund_at is 'The earliest Refund event.';
comment on column transactions.paid_price is 'Set after a partial refund: what was paid. price is what is left of it.';

create table transaction_changes (
  player_id bigint not null,
  transaction_id text not null,
  kind text not null check (kind in ('notice', 'moved')),
  at timestamptz not null,
  game_id integer not null,
  share numeric,
  refunded_at timestamptz,
  recorded_at timestamptz not null,
  primary key (player_id, transaction_id, kind, at)
);
comment on table transaction_changes is
  'What happened to a transaction of a player without an event of the player''s: the store''s word on a refund (notice), or another player''s proof (moved). The rebuild of a past instant folds these rows after the events.';
comment on column transaction_changes.at is 'When the store signed it, or when the proof was received.';

create table store_notifications (
  game_id integer not null references games,
  store text not null check (store in ('apple', 'google')),
  notification_id text not null,
  type text not null,
  transaction_id text,
  signed_at timestamptz not null,
  share numeric,
  refunded_at timestamptz,
  received_at timestamptz not null,
  primary key (game_id, store, notification_id)
);
create index store_notifications_transaction on store_notifications (game_id, transaction_id, signed_at desc)
  where share is not null;
comment on table store_notifications is
  'A notification of a store, once. Where share is set, it says how much of a transaction was given back: a refund may arrive before its purchase.';

create table game_stores (
  game_id integer primary key references games,
  settings jsonb not null,
  updated_at timestamptz not null
);
comment on table game_stores is
  'The settings of a game for stores: which apps receipts may be of, and which purchases count. A change moves games.registry_version, so every node obeys it with the next batch.';

comment on column event_blocks.events is
  'An array of [type, time, payload, metadata, seq, eventId, more]; what is null at the end is left out. more: {"text": the timestamp as sent, "suspect": true, "ordinal": 1, "received": epoch ms where it is not that of the block, "sale": what a Purchase counts as where that is not what its payload says; null: nothing}.';
