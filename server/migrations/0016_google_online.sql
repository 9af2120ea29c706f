-- Google's online API: the service account of a game, purchases to look up and acknowledge, and revenue by proof.

create table google_accounts (
  game_id integer primary key references games,
  email text not null,
  sealed_key bytea not null,
  set_at timestamptz not null,
  failures integer default 0 not null,
  retry_at timestamptz not null,
  last_error text,
  voided_from timestamptz,
  voided_to timestamptz,
  voided_page text
);
comment on table google_accounts is
  'The service account by which a game asks Google about purchases. A game without a row believes signatures alone.';
comment on column google_accounts.sealed_key is 'The private key of the account, sealed under the master key.';
comment on column google_accounts.retry_at is 'Google is not asked before. After a failure the pause doubles.';
comment on column google_accounts.voided_from is 'Voided purchases before this time are known.';
comment on column google_accounts.voided_to is 'Set while a list of voided purchases is read: it ends here, and voided_page is its next page.';

create table google_purchases (
  game_id integer not null references games,
  transaction_id text not null,
  purchase_token text not null,
  product_id text not null,
  stored_at timestamptz not null,
  due_at timestamptz not null,
  primary key (game_id, transaction_id)
);
create index google_purchases_due on google_purchases (game_id, due_at);
comment on table google_purchases is
  'A stored purchase that Google has to be asked about, and that has to be acknowledged. Written with the purchase, deleted when Google has confirmed it.';

alter table game_days
  add column verified_revenue jsonb default '{}' not null,
  add column refunded_revenue jsonb default '{}' not null;
comment on column game_days.verified_revenue is 'The part of revenue that a store or the studio''s server has proved.';
comment on column game_days.refunded_revenue is 'What stores and players gave back of the purchases of this day. It is not in revenue.';
