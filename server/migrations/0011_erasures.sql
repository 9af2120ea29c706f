-- Erasure of players: requests, the key of the hashes that stay, and what the recount has to know of erased players.

alter table games add column erasure_wait_days integer default 0 not null
  constraint games_erasure_wait_days_check check (erasure_wait_days between 0 and 30);
comment on column games.erasure_wait_days is 'For how many days a request for erasure can be withdrawn. 0: players are erased at once.';

alter table players add column erase_requested_at timestamptz;
comment on column players.erase_requested_at is
  'When somebody asked for the erasure of the player. From then on the player has no session and no new events, on any node.';

create table erasure_key (
  only_row boolean primary key default true check (only_row),
  sealed_key bytea not null
);
comment on table erasure_key is
  'One row: the key of the hashes that stand for the ids of erased players, sealed under the master key. It never changes: else an erased player would not be recognised.';

create table erasures (
  id uuid primary key,
  game_id integer not null,
  player_id bigint,
  user_id uuid,
  player_hash bytea not null,
  state text not null check (state in ('waiting', 'erasing', 'done', 'withdrawn')),
  requested_by text not null,
  requested_by_email text,
  requested_at timestamptz not null,
  due_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  devices json,
  first_block_at timestamptz,
  last_block_at timestamptz,
  counts jsonb default '{}' not null,
  receipt text,
  check ((player_id is null) = (user_id is null)),
  check (state in ('done', 'withdrawn') or player_id is not null)
);
create unique index erasures_of_player on erasures (player_id) where player_id is not null;
create index erasures_game on erasures (game_id, requested_at, id);
create index erasures_due on erasures (due_at, id) where state in ('waiting', 'erasing');
create index erasures_done on erasures (id) where state = 'done';
create index erasures_hash on erasures (player_hash);
comment on table erasures is
  'A request to erase a player. The row stays after the erasure, without an id of the player: it is the receipt, and its hash keeps the player from coming back.';
comment on column erasures.player_id is 'Null once the player is erased, or the request is withdrawn; user_id as well.';
comment on column erasures.player_hash is 'HMAC-SHA-256 of the user id under erasure_key.';
comment on column erasures.requested_by is 'The player, the actor of the studio, or the page of the game.';
comment on column erasures.devices is 'The devices of the player until the erasure begins, for a withdrawal.';
comment on column erasures.first_block_at is 'Receipt of the first and the last event that were deleted: exports of that time are expired.';
comment on column erasures.counts is 'How many rows of each table were deleted.';
comment on column erasures.receipt is 'The counts as a JWS, signed with the key of the JWKS.';

create table erased_days (
  game_id integer not null,
  day date not null,
  name text not null,
  value numeric not null,
  primary key (game_id, day, name)
);
comment on table erased_days is
  'What erased players had added to the roll-ups of a day: the recount adds it to what it counts. Sums of a game, nothing of a single player.';

create table erased_cohorts (
  game_id integer not null,
  cohort_day date not null,
  active_day date not null,
  players bigint not null,
  primary key (game_id, cohort_day, active_day)
);
comment on table erased_cohorts is 'The same for game_cohorts.';

create table erased_transactions (
  id uuid default gen_random_uuid() primary key,
  game_id integer not null,
  day date not null,
  amount numeric,
  currency text,
  refunded_on date,
  order_hash bytea not null
);
create index erased_transactions_game on erased_transactions (game_id, day, id);
comment on table erased_transactions is
  'What tax law wants to be kept of the purchases of erased players. Nothing in it tells which purchases were of one player, not even their order: the ids are random.';
comment on column erased_transactions.order_hash is 'HMAC-SHA-256 of the transaction id under erasure_key: a store''s order can be looked up, but not read.';

comment on table audit_log is
  'Who changed what, and when: written in the transaction of the change, and changed only when a player is erased, whose id becomes a hash.';
