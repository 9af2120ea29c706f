-- The schema of 1.0. Later changes are files of their own: see "Migrations" in CONTRIBUTING.md.
--
-- Every table of players is reached through a game id, or a player id of that game, so one studio's rows can never be named by
-- another's request. Tables that logins and events write have no foreign keys, because PostgreSQL would look up and lock the row
-- behind each of them (docs/adr/0009-no-foreign-keys-behind-logins.md).
--
-- The tables of a player (server/src/db/player-tables.ts) have no foreign keys at all, and their keys are unique within the player, so
-- that the players can be distributed over several databases (docs/adr/0032-ids-and-buckets.md).


-- Studios and games ------------------------------------------------------------------------------------------------------------

create table tenants (
  id integer generated always as identity primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  created_at timestamptz not null default now()
);
comment on table tenants is 'A studio. The API calls it a tenant.';

create table games (
  id integer generated always as identity primary key,
  tenant_id integer not null references tenants,
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  -- 0 until something is published
  published_version integer not null default 0,
  created_at timestamptz not null default now(),
  -- null: events are kept for ever
  retention_days integer check (retention_days between 1 and 36500),
  -- events before this day have been deleted: an event that is sent again can no longer be recognised
  events_deleted_before date,
  -- how far deletion has come: no event before this day is left, or ever comes back
  events_cleaned_before date,
  unregistered_types text not null default 'accept' check (unregistered_types in ('accept', 'hold')),
  -- incremented by every change of the game's event types
  registry_version integer not null default 0,
  signing_keys_version integer not null default 0,
  predictions_version integer not null default 0,
  unique (tenant_id, slug)
);
comment on table games is
  'A game of a studio. Every request reads its versions together with the player, so no node serves an old configuration, registry, key or model.';
comment on column games.signing_keys_version is 'signing_key_state.version, the same for all games.';
comment on column games.predictions_version is 'Of prediction_states; 0 before the first training.';


-- People and their rights ------------------------------------------------------------------------------------------------------

create table accounts (
  id uuid primary key,
  email text not null,
  email_key text not null unique,
  name text not null,
  password_hash text,
  second_factor bytea,
  second_factor_pending bytea,
  second_factor_step bigint not null default 0,
  created_at timestamptz not null
);
comment on table accounts is
  'A person who signs in to the console and the admin API. An account belongs to no studio: it may be a member of several.';
comment on column accounts.email_key is 'The address in lower case: what it is found by.';
comment on column accounts.password_hash is 'scrypt with its parameters and salt. Null: signs in by a link only, until a password is set.';
comment on column accounts.second_factor is 'The secret of the one-time codes, sealed under the master key and bound to the account.';
comment on column accounts.second_factor_pending is 'The same, until a code of it has been sent.';
comment on column accounts.second_factor_step is 'The interval of the last code that was used: a code works once.';

create table studio_members (
  tenant_id integer not null references tenants,
  account_id uuid not null references accounts,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  joined_at timestamptz not null,
  primary key (tenant_id, account_id)
);
create index studio_members_account on studio_members (account_id, joined_at, tenant_id);
create index studio_members_owner on studio_members (tenant_id) where role = 'owner';
comment on table studio_members is 'What a person may do in a studio.';

create table account_sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  network text,
  browser text
);
-- the sessions of an account, newest first
create index account_sessions_newest on account_sessions (account_id, created_at, token_hash);
create index account_sessions_expiry on account_sessions (expires_at);
comment on table account_sessions is
  'A browser in which a person is signed in. People see where their sessions were begun, and end those that they do not know.';
comment on column account_sessions.token_hash is 'SHA-256 of 256 random bits: nothing to guess, nothing to salt.';
comment on column account_sessions.seen_at is 'Written once an hour at the most.';
comment on column account_sessions.network is 'Roughly from where it was begun: a /24 of IPv4 or a /48 of IPv6.';
comment on column account_sessions.browser is 'What the browser called itself then, in words: Firefox on Windows.';

create table sign_in_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  expires_at timestamptz not null
);
create index sign_in_links_account on sign_in_links (account_id);
create index sign_in_links_expiry on sign_in_links (expires_at);
comment on table sign_in_links is 'A link that signs a person in. The row is deleted when its link is used: that makes it work once.';

create table invitations (
  id uuid primary key,
  tenant_id integer not null references tenants,
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  invited_by text not null,
  -- the person or the token behind the name: who loses the right to invite loses the invitations, too
  invited_by_account uuid,
  invited_by_token text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (tenant_id, email_key)
);
create index invitations_tenant on invitations (tenant_id, id);
create index invitations_by_account on invitations (tenant_id, invited_by_account) where invited_by_account is not null;
create index invitations_by_token on invitations (tenant_id, invited_by_token) where invited_by_token is not null;
create index invitations_expiry on invitations (expires_at);
comment on table invitations is 'An open invitation of an email address to a studio. It is deleted when it is accepted or withdrawn.';

create table admin_tokens (
  token_id text primary key,
  tenant_id integer not null references tenants,
  name text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null,
  created_by_account uuid,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- pages of the tokens of a studio
  constraint admin_tokens_of_tenant unique (tenant_id, token_id)
);
-- shown to whoever takes the rights of that person away
create index admin_tokens_by_account on admin_tokens (tenant_id, created_by_account) where created_by_account is not null;
comment on table admin_tokens is 'A token with which a program uses the admin API of a studio. Revoked ones are kept for the audit log.';
comment on column admin_tokens.token_hash is 'SHA-256 of 256 random bits: nothing to guess, nothing to salt.';

create table audit_log (
  id bigint generated always as identity primary key,
  tenant_id integer references tenants,
  game_id integer references games,
  at timestamptz not null,
  -- two people may have the same name, and a token may be called like a person: the email and the token id tell them apart
  actor text not null,
  actor_email text,
  actor_token text,
  action text not null,
  target text not null,
  before json,
  after json
);
create index audit_log_tenant on audit_log (tenant_id, id);
-- the entries of a quiet game among a million of its studio's
create index audit_log_game on audit_log (game_id, id) where game_id is not null;
comment on table audit_log is 'Who changed what, and when: written in the transaction of the change, never changed.';
comment on column audit_log.tenant_id is 'Null: the entry belongs to the installation as a whole.';
comment on column audit_log.actor_email is 'The address of the person who was signed in. Null: a token, a command or the service itself.';
comment on column audit_log.actor_token is 'The id of the admin token that was used. Null: a person, a command or the service itself.';


-- Keys -------------------------------------------------------------------------------------------------------------------------

create table api_keys (
  key_id text primary key,
  game_id integer not null references games,
  environment text not null check (environment in ('development', 'production')),
  label text not null default '',
  sealed_secret bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- set when the key is revoked together with every session it opened, also those still being opened
  sessions_ended boolean not null default false
);
create index api_keys_game on api_keys (game_id);
comment on table api_keys is 'A key with which clients of a game sign their logins. A key is never deleted.';
comment on column api_keys.sealed_secret is 'AES-256-GCM under the master key, bound to tenant and key id.';
comment on column api_keys.expires_at is 'From then on it opens no session; those that it has opened go on.';

-- Every request reads the version in the row of its game (games.signing_keys_version), and a node that finds a higher one than it
-- knows reads the keys again (docs/adr/0003). A look-up of this table would cost PostgreSQL 14 µs for each group of requests.
create table signing_key_state (
  only_row boolean primary key default true check (only_row),
  version integer not null
);
insert into signing_key_state (version) values (0);
comment on table signing_key_state is 'One row: the version of the signing keys of this installation.';
comment on column signing_key_state.version is 'One more after every change of signing_keys: a key added, brought forward or revoked.';

create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  sealed_private bytea not null,
  created_at timestamptz not null default now(),
  active_from timestamptz not null,
  -- The newest active key signs. By the order in which keys were added, not by clocks, which differ between machines.
  ordinal integer not null unique,
  revoked_at timestamptz
);
comment on table signing_keys is 'A key that signs the access tokens of all games.';
comment on column signing_keys.active_from is
  'Published at once, signs from then on, and until the next key does; verifies until the last token it signed has expired.';
comment on column signing_keys.ordinal is 'The version of signing_key_state that added the key.';
comment on column signing_keys.revoked_at is 'From then on it neither signs nor verifies, on any node.';


-- Configuration of games -------------------------------------------------------------------------------------------------------

create table config_versions (
  game_id integer not null references games,
  version integer not null check (version > 0),
  -- json, not jsonb: members keep the order in which the studio wrote them
  document json not null,
  -- {"payer": 2}: how often each segment has changed so far; kept for deleted ones, so that no number is used twice
  segment_versions json not null default '{}',
  -- the older version that was published again, if this is a way back
  copy_of integer,
  author text not null,
  author_email text,
  note text not null default '',
  published_at timestamptz not null,
  primary key (game_id, version)
);
create index config_versions_published on config_versions (game_id, published_at, version);
comment on table config_versions is 'Published game configuration: immutable, numbered, rolled back by publishing again.';

create table config_drafts (
  game_id integer primary key references games,
  -- incremented by every change: an editor who saves names the revision that they saw
  revision integer not null,
  -- both null while the draft is what is published
  based_on integer,
  document json,
  updated_by text not null,
  updated_by_email text,
  updated_at timestamptz not null,
  check ((document is null) = (based_on is null))
);
comment on table config_drafts is 'The next configuration of a game while it is edited.';

create table draft_editors (
  game_id integer not null references games,
  account_id uuid not null references accounts,
  window_id uuid not null,
  opened_at timestamptz not null,
  -- of the last change in this window that is not saved
  changed_at timestamptz,
  expires_at timestamptz not null,
  primary key (game_id, account_id, window_id)
);
create index draft_editors_expiry on draft_editors (expires_at);
comment on table draft_editors is
  'A window in which the draft of a game is open, so that two people who edit it are told of each other before they save. A window repeats its row every few seconds, and the row of a window that has gone expires.';

create table sku_pictures (
  game_id integer not null references games,
  sku_id text not null,
  media_type text not null,
  content bytea not null,
  updated_at timestamptz not null,
  primary key (game_id, sku_id)
);
comment on table sku_pictures is
  'Thumbnails that the console shows beside SKUs, by SKU id, whether or not the catalogue has the SKU at present.';


-- Players ----------------------------------------------------------------------------------------------------------------------

create table players (
  id bigint generated by default as identity primary key,
  game_id integer not null,
  user_id uuid not null unique,
  created_at timestamptz not null,
  -- aggregates, kept by events; every merge is commutative
  first_event_at timestamptz,
  last_event_at timestamptz,
  event_count bigint not null default 0,
  event_counts jsonb not null default '{}',
  active_days datemultirange not null default '{}',
  -- changed by the difference that a purchase or refund makes in transactions
  purchase_count integer not null default 0,
  first_purchase_at timestamptz,
  last_purchase_at timestamptz,
  spend jsonb not null default '{}',
  -- the UTC day of the first event; unlike active_days it is never forgotten
  first_day date,
  purchase_days datemultirange not null default '{}',
  repeat_spend jsonb not null default '{}',
  -- last known country, locale, osName and so on: {"country":{"v":"DE","t":1794700000000}}
  profile jsonb not null default '{}',
  -- the latest time in profile: a profile that is later than all of it simply replaces its members
  profile_at timestamptz,
  -- the last change of the player's overrides and stays: it makes the row a new version, and says whether there are any
  overrides_at timestamptz,
  stays_at timestamptz
) with (fillfactor = 80);
-- PostgreSQL 18 may search an index by a column that is not its first one ("skip scan"), and then reads all of it. The condition
-- keeps this index to statements that name the game.
create index players_of_game on players (game_id, id) where game_id is not null;
comment on table players is 'Everything known about a player in one row; all that a player is told is computed from it.';
comment on column players.spend is 'Exact decimal per currency, refunds taken off: {"USD": 14.97}.';
comment on column players.repeat_spend is 'Spend without the first day of purchase, exact decimal per currency.';

-- The day on which a player starts, for cohorts, new players and predictions: the first event or the first login, whichever is
-- earlier. Events of a clock that is not believed count at their receipt, so they move nobody into the past.
create function start_day(created_at timestamptz, first_day date) returns date
language sql immutable parallel safe as $$
  select least((created_at at time zone 'UTC')::date, first_day)
$$;

-- Adds two objects of numbers member by member: {"a":1} + {"a":2,"b":1} = {"a":3,"b":1}. Sums of nothing are left out and trailing
-- zeros are cut, so that a sum does not tell in which order, or with which detours, it came about.
create function jsonb_add(a jsonb, b jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
declare
  total jsonb := a;
  name text;
  amount numeric;
begin
  for name, amount in select key, value::numeric from jsonb_each_text(b) loop
    amount := trim_scale(amount + coalesce((total ->> name)::numeric, 0));
    total := case when amount = 0 then total - name else jsonb_set(total, array[name], to_jsonb(amount)) end;
  end loop;
  return total;
end
$$;

create aggregate jsonb_total(jsonb) (sfunc = jsonb_add, stype = jsonb, initcond = '{}');

create function jsonb_negate(a jsonb) returns jsonb
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(key, -value::numeric), '{}') from jsonb_each_text(a)
$$;

-- The first 256 members in byte order, so that a client inventing event types cannot grow its player's row without end.
-- A kept key is never displaced by a later one that sorts behind it, so the result does not depend on the order of
-- additions.
create function first_keys(a jsonb) returns jsonb
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from (select * from jsonb_each(a) order by key collate "C" limit 256) kept
$$;

-- The last 180 days of a set of days, counted from its newest: what is dropped can never be needed again, so this too
-- does not depend on the order of additions.
create function recent_days(days datemultirange) returns datemultirange
language sql immutable parallel safe as $$
  select days * datemultirange(daterange(upper(days) - 180, null))
$$;

-- The later of two entries {"v":"DE","t":1794700000000}; equal times are decided by the value, so that order does not
-- matter.
create function later_entry(a jsonb, b jsonb) returns jsonb
language sql immutable parallel safe as $$
  select case
    when a is null then b
    when b is null then a
    when (a ->> 't')::bigint > (b ->> 't')::bigint then a
    when (a ->> 't')::bigint < (b ->> 't')::bigint then b
    when (a ->> 'v') collate "C" >= (b ->> 'v') collate "C" then a
    else b
  end
$$;

-- Of players.profile. paidCurrency is that of the last purchase: a player who never told a currency is shown prices in it.
create function merge_profiles(a jsonb, b jsonb) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'country', later_entry(a -> 'country', b -> 'country'),
    'locale', later_entry(a -> 'locale', b -> 'locale'),
    'osName', later_entry(a -> 'osName', b -> 'osName'),
    'osVersion', later_entry(a -> 'osVersion', b -> 'osVersion'),
    'deviceType', later_entry(a -> 'deviceType', b -> 'deviceType'),
    'clientBuild', later_entry(a -> 'clientBuild', b -> 'clientBuild'),
    'currency', later_entry(a -> 'currency', b -> 'currency'),
    'paidCurrency', later_entry(a -> 'paidCurrency', b -> 'paidCurrency')
  ))
$$;

create table player_days (
  player_id bigint not null,
  day date not null,
  events integer not null default 0,
  sessions integer not null default 0,
  ad_impressions integer not null default 0,
  store_views integer not null default 0,
  play_ms bigint not null default 0,
  event_counts jsonb not null default '{}',
  -- changed together with the purchase columns of players
  purchases integer not null default 0,
  revenue jsonb not null default '{}',
  -- what the events of the day reported last, and at which millisecond of the day; null if they reported nothing
  country_ms integer,
  platform_ms integer,
  build_ms integer,
  country text,
  platform text,
  build text,
  primary key (player_id, day)
) with (fillfactor = 80);
comment on table player_days is 'What a player did on a UTC day; windows of 7 and 28 days are sums over it.';

create table transactions (
  game_id integer not null,
  transaction_id text not null,
  player_id bigint not null,
  -- null until the purchase itself arrives: a refund may come first
  purchased_at timestamptz,
  identity uuid,
  sku_id text,
  price numeric,
  currency text,
  promo_id text,
  refunded_at timestamptz,
  -- of several purchases of a player with one transactionId, the one received first counts
  received_at timestamptz,
  primary key (player_id, transaction_id)
);
-- the first and the last purchase of a player, whatever is refunded in between
create index transactions_counted on transactions (player_id, purchased_at)
  where purchased_at is not null and refunded_at is null;
-- who has a transaction of this id; the condition is explained at players_of_game
create index transactions_of_game on transactions (game_id, transaction_id, player_id) where game_id is not null;
comment on table transactions is
  'A purchase. It counts once per player, so that nobody can claim another player''s. Purchases are counted by the difference that a row makes: the cost does not depend on how many a player has.';

create table player_promotions (
  player_id bigint not null,
  promo_id text not null,
  purchases integer not null default 0,
  primary key (player_id, promo_id)
);
comment on table player_promotions is 'How many purchases of a player, refunds taken off, name a promotion: what limits per player go by.';

create table devices (
  game_id integer not null,
  device_id text not null,
  player_id bigint not null,
  created_at timestamptz not null,
  primary key (game_id, device_id)
);
create index devices_player on devices (player_id);
comment on table devices is
  'A device of a game, which stands for its player at a login. The primary key decides between two first logins at once.';

create table sessions (
  id uuid primary key,
  player_id bigint not null,
  device_id text not null,
  key_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- the refresh chain, see features/sessions/refresh-chain.ts: hashes and salts only, never a token
  tag_key bytea not null,
  current_hash bytea not null,
  recent jsonb not null default '[]',
  -- An index on expires_at would make every refresh a new entry in each index of the table. A refresh leaves check_on alone, so it
  -- stays a heap-only update. On this day maintenance deletes the session, or moves the day to where expires_at is by then.
  check_on date not null default current_date
-- room for the next version of a row beside it; the first refresh makes a row longer, too
) with (fillfactor = 80);
create index sessions_check on sessions (check_on);
-- the sessions of a player, newest first
create index sessions_of_player on sessions (player_id, created_at);
comment on table sessions is
  'A session of a player on a device. One that has ended is deleted at once: a token without a session is refused.';
comment on column sessions.check_on is 'The day on which maintenance looks whether the session can be deleted.';

create table flag_overrides (
  player_id bigint not null,
  id bigint generated always as identity,
  flag_id text not null,
  value boolean not null,
  reason text not null,
  author text not null,
  author_email text,
  set_at timestamptz not null,
  until timestamptz,
  -- replaced or taken back: from then on it never was for the player, but what was said before can still be explained
  cleared_at timestamptz,
  cleared_by text,
  cleared_by_email text,
  primary key (player_id, id)
);
create unique index flag_overrides_standing on flag_overrides (player_id, flag_id) where cleared_at is null;
create index flag_overrides_player on flag_overrides (player_id, set_at);
comment on table flag_overrides is 'Flags of single players that a studio has set, whatever the rule says.';

-- Whether a player is inside depends on whether they were before: see docs/adr/0025-two-thresholds.md.
create table segment_stays (
  player_id bigint not null,
  segment_id text not null,
  -- by which the player has entered, such as churn > 0.7, < 0.5: others know nothing of this stay
  thresholds text not null,
  entered_at timestamptz not null,
  entered_value double precision not null,
  -- null: the player is inside
  left_at timestamptz,
  left_value double precision,
  game_id integer not null,
  -- also finds what was at a moment of the past
  primary key (player_id, entered_at, segment_id, thresholds)
);
-- One stay at a time, whoever notices that it begins. Facts of a player are read by it, too.
create unique index segment_stays_open on segment_stays (player_id, segment_id, thresholds) where left_at is null;
-- the stays of a game that ended before a day, oldest first
create index segment_stays_left on segment_stays (game_id, left_at) where left_at is not null;
comment on table segment_stays is
  'Which players were in segments with two thresholds, from when to when. Stays that have ended are kept for as long as the game keeps events, so that the past can be explained.';


-- Events -----------------------------------------------------------------------------------------------------------------------
-- What arrives together is stored together (docs/adr/0013-event-blocks.md), and the small blocks of a closed day are rewritten
-- into larger ones (docs/adr/0014-compaction.md).

-- tells blocks of one millisecond apart; drawn in advance by each connection, so the numbers are not in the order of time
create sequence event_block_ids cache 64;

create table event_blocks (
  player_id bigint not null,
  -- by the server's clock, so that no client decides on the partition
  received_at timestamptz not null,
  id bigint not null default nextval('event_block_ids'),
  game_id integer not null,
  event_count integer not null,
  -- the earliest and the latest time that the events themselves name
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- of the client that numbered its events
  install_id text,
  events jsonb not null,
  primary key (player_id, received_at, id)
) partition by range (received_at);
create index event_blocks_game on event_blocks (game_id, received_at, id);
comment on table event_blocks is
  'The new events of one player in one request. Read them through the view events, or through event_rows(events).';
comment on column event_blocks.events is
  'An array of [type, time, payload, metadata, seq, eventId, more]; what is null at the end is left out. more: {"text": the timestamp as sent, "suspect": true, "ordinal": 1, "received": epoch ms where it is not that of the block}.';
create table event_blocks_default partition of event_blocks default;

-- lz4 packs and unpacks several times as fast as the built-in method; not every PostgreSQL has it
do $$
begin
  alter table event_blocks alter column events set compression lz4;
  alter table event_blocks_default alter column events set compression lz4;
exception
  when feature_not_supported then null;
end
$$;

-- Nothing is planned by what is in them, and to sample them takes as long as storing them for a while.
alter table event_blocks alter column events set statistics 0;
alter table event_blocks_default alter column events set statistics 0;

-- The events of a block as rows.
create function event_rows(events jsonb)
returns table (
  place bigint, event_type text, occurred_at timestamptz, payload jsonb, metadata jsonb, seq bigint, event_id text, timestamp_text text,
  clock_suspect boolean, ordinal integer, received_at timestamptz
)
language sql immutable parallel safe as $$
  select place, e ->> 0, (e ->> 1)::timestamptz, e -> 2, e -> 3, (e ->> 4)::bigint, e ->> 5, e -> 6 ->> 'text',
    coalesce((e -> 6 -> 'suspect')::boolean, false), coalesce((e -> 6 -> 'ordinal')::integer, 0),
    to_timestamp((e -> 6 -> 'received')::float8 / 1000)
  from jsonb_array_elements(events) with ordinality as b(e, place)
$$;

create view events as
select e.occurred_at, b.player_id, coalesce(e.received_at, b.received_at) as received_at, b.game_id, e.clock_suspect, e.event_type,
  e.payload, e.metadata, e.event_id, e.timestamp_text, b.install_id, e.seq
from event_blocks b
cross join lateral event_rows(b.events) e;
comment on view events is
  'Every stored event. Cheap by player_id; anything else unpacks every block of the game or of all games.';

create table event_block_days (
  day date primary key,
  -- rewriting: larger blocks are being written to a table of their own; deferred: was changed meanwhile, and is rewritten later;
  -- compacted: the larger blocks are in place; kept: compaction would gain too little
  state text not null check (state in ('rewriting', 'deferred', 'compacted', 'kept')),
  -- A window reaches to the start of the next one, the last to the end of the day. A block holds events of one window, received
  -- at different times. Null: all events of a block were received together.
  window_starts timestamptz[],
  -- the windows of the larger blocks, and which pages of the day have been rewritten
  new_window_starts timestamptz[],
  done_pages integer not null default 0,
  total_pages integer not null default 0,
  -- why the larger blocks are not in place yet
  waits_for text check (waits_for in ('snapshot', 'lock', 'default_partition')),
  restarts integer not null default 0,
  changed_at timestamptz not null default now()
);
comment on table event_block_days is
  'Days of event_blocks, by time of receipt, in which blocks hold events of several times of receipt, or whose compaction is going on.';

create table event_block_changes (
  day date not null,
  changed_by xid8 not null,
  primary key (day, changed_by)
);
comment on table event_block_changes is 'A transaction that changed blocks of a day while the day was being rewritten.';

-- The trigger that a day has while it is rewritten.
create function note_event_block_change() returns trigger
language plpgsql as $$
begin
  -- Only this transaction can have a row of this key, so nobody waits for anybody.
  insert into event_block_changes (day, changed_by) values (tg_argv[0]::date, pg_current_xact_id()) on conflict do nothing;
  return null;
end
$$;

create table event_identities (
  -- the first day of a quarter of a year, by the time of receipt; old generations are dropped whole
  generation date not null,
  player_id bigint not null,
  -- each is the player's id and 64 bits of the event's identity
  identities uuid[] not null
) partition by range (generation);
-- not gathered in a list first: every look-up would read that list
create index event_identities_key on event_identities using gin (identities) with (fastupdate = off);
comment on table event_identities is
  'The identities of a player''s events that were received together: by them an event without a number is recognised when it is sent again. The index has an entry for each identity, the table does not.';
create table event_identities_default partition of event_identities default;
alter table event_identities alter column identities set statistics 0;
alter table event_identities_default alter column identities set statistics 0;

create table event_installs (
  player_id bigint not null,
  install_id text not null,
  -- every number that has arrived, accepted or rejected
  seen int8multirange not null,
  primary key (player_id, install_id)
) with (fillfactor = 80);
comment on table event_installs is 'The numbers of the events that have arrived from each installation of a player''s client.';

create table event_gaps (
  player_id bigint not null,
  install_id text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  game_id integer not null,
  -- when a later number arrived, and from which build and platform
  noticed_at timestamptz not null,
  client_build text,
  platform text,
  primary key (player_id, install_id, first_seq)
);
create index event_gaps_game on event_gaps (game_id, noticed_at);
comment on table event_gaps is 'Numbers of events that have not arrived though later ones have. After a grace time they count as lost.';

-- Makes one partition of a table by day or quarter. False if it is there already, or if rows of that time sit in the default
-- partition: they stay there. It is made apart and then attached: `create table … partition of` would lock the whole table
-- exclusively, and every intake would queue behind that lock. Attaching locks only the default partition exclusively, which
-- is empty as a rule. Whoever holds that partition longer than the time-out makes the caller try again later.
create function attach_partition(parent text, child text, key text, first_value text, end_value text) returns boolean
language plpgsql set lock_timeout = '500ms' as $$
declare
  taken boolean;
  unsampled text;
begin
  execute format('select exists (select from %I where %I >= %L and %I < %L)', parent || '_default', key, first_value, key, end_value)
  into taken;
  if taken or to_regclass(child) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including all)', child, parent);
  -- which `like` leaves out
  for unsampled in
    select attname from pg_attribute where attrelid = parent::regclass and attstattarget = 0 and attnum > 0 and not attisdropped
  loop
    execute format('alter table %I alter column %I set statistics 0', child, unsampled);
  end loop;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, first_value, end_value);
  return true;
exception
  -- a row of that time came in between the look and the lock
  when check_violation then return false;
end
$$;


-- Types of events, and the inbox of refused ones -------------------------------------------------------------------------------

create table event_types (
  game_id integer not null references games,
  event_type text not null,
  version integer not null check (version > 0),
  schema json not null,
  author text not null,
  created_at timestamptz not null,
  -- the newest version of a type counts; a retired one counts as not registered
  retired_at timestamptz,
  primary key (game_id, event_type, version)
);
comment on table event_types is 'A version of the schema that a studio has registered for a type of events.';
comment on column event_types.schema is 'JSON Schema, draft 2020-12, for the whole event.';

create table failed_events (
  id bigint generated always as identity primary key,
  game_id integer not null,
  player_id bigint not null,
  -- digest of the raw text and its ordinal, so that a batch sent again does not fill the inbox again
  fingerprint uuid not null,
  -- tells identical events of one batch apart, as the identity of an event does
  ordinal smallint not null default 0,
  code text not null,
  message text not null,
  -- JSON pointer to the culprit, empty for the event as a whole
  path text not null default '',
  event_type text,
  raw text not null,
  -- the raw text was too long and only its beginning is here: it cannot be replayed as it is
  is_cut boolean not null default false,
  client_build text,
  received_at timestamptz not null,
  replayed_at timestamptz,
  -- the event that was replayed, where it was edited first
  replayed_as text,
  unique (player_id, fingerprint)
);
create index failed_events_open on failed_events (game_id, code, id) include (event_type, received_at)
  where replayed_at is null;
create index failed_events_age on failed_events (received_at);
comment on table failed_events is 'Events that were refused, with the reason: corrected and replayed, or deleted after 30 days.';

create table failed_event_totals (
  game_id integer primary key,
  entries bigint not null default 0,
  bytes bigint not null default 0
) with (fillfactor = 50);
comment on table failed_event_totals is
  'Open failed events of a game and the size of their raw text: what the cap on the inbox is measured by.';


-- Roll-ups of a game, kept by events -------------------------------------------------------------------------------------------
-- Several rows (shards) a day, added up when read: two connections rarely write the same one, so no transaction waits for another
-- just to count. Maintenance adds up the shards of closed days into one row, whose shard is negative. It finds the rest by the
-- indexes on shard >= 0, in time that does not depend on the years behind them. Counting changes no column of these indexes, so it
-- stays a heap-only update.

-- The shard that this connection writes to. Folding events, recounting purchases and counting new players each have a
-- range of their own. A transaction that does several of them then still takes its locks in one order (roll-ups of
-- events, cohorts, transactions, roll-ups of purchases), also when two connections share a shard: without the ranges,
-- a recount would come back for rows that another transaction, waiting for the cohorts of the first, has locked.
create function rollup_shard(work text) returns smallint
language sql stable as $$
  select (pg_backend_pid() % 32 + case work when 'events' then 0 when 'purchases' then 32 when 'players' then 64 end)::smallint
$$;

create table game_days (
  game_id integer not null,
  day date not null,
  shard smallint not null,
  active_players bigint not null default 0,
  new_players bigint not null default 0,
  paying_players bigint not null default 0,
  events bigint not null default 0,
  sessions bigint not null default 0,
  ad_impressions bigint not null default 0,
  store_views bigint not null default 0,
  play_ms bigint not null default 0,
  purchases bigint not null default 0,
  revenue jsonb not null default '{}',
  primary key (game_id, day, shard)
) with (fillfactor = 60);
create index game_days_shards on game_days (day, game_id, shard) where shard >= 0;
comment on table game_days is 'What the players of a game did on a UTC day; the shards of a day are added up.';

create table game_event_types (
  game_id integer not null,
  day date not null,
  event_type text not null,
  shard smallint not null,
  events bigint not null default 0,
  primary key (game_id, day, event_type, shard)
) with (fillfactor = 60);
create index game_event_types_shards on game_event_types (day, game_id, event_type, shard) where shard >= 0;
comment on table game_event_types is
  'How many events of a type a game had on a UTC day. A row per type, not an object in game_days: a client that invents types adds rows, and can neither displace the real ones nor make a row that everybody writes grow without end.';

create table game_cohorts (
  game_id integer not null,
  -- the start_day of the players; a late event may move a player, with all active days, to an earlier cohort
  cohort_day date not null,
  active_day date not null,
  shard smallint not null,
  players bigint not null default 0,
  primary key (game_id, cohort_day, active_day, shard)
) with (fillfactor = 60);
create index game_cohorts_shards on game_cohorts (active_day, game_id, cohort_day, shard) where shard >= 0;
comment on table game_cohorts is 'How many players who started on one day were active on another: retention.';


-- Sums that maintenance makes --------------------------------------------------------------------------------------------------
-- Weekly and monthly active players, the numbers of each day by country, platform, build, SKU and promotion, and the players who
-- are held out against the rest (docs/adr/0023-breakdowns.md): summed from players, their days and their transactions. Nothing here
-- is written while events are taken in.

create table game_active_players (
  game_id integer not null,
  day date not null,
  weekly bigint not null,
  monthly bigint not null,
  primary key (game_id, day)
);
comment on table game_active_players is
  'How many players were active on at least one of the 7, or 30, UTC days that end with a day.';

create table game_breakdowns (
  game_id integer not null,
  dimension text not null,
  day date not null,
  is_remainder boolean not null,
  value text not null,
  active_players bigint not null,
  new_players bigint not null,
  paying_players bigint not null,
  purchases bigint not null,
  revenue jsonb not null,
  d1 bigint not null,
  d7 bigint not null,
  d28 bigint not null,
  d30 bigint not null,
  primary key (game_id, dimension, day, is_remainder, value)
);
comment on table game_breakdowns is
  'The numbers of a day by country, platform, build, SKU or promotion: the largest values, and one row for all others (is_remainder).';
comment on column game_breakdowns.value is 'An empty text where nothing is known.';
comment on column game_breakdowns.d1 is 'Of the new players of the day: how many were active on the 1st day after.';

create table game_breakdown_days (
  game_id integer not null,
  day date not null,
  totals jsonb not null,
  summed_at timestamptz not null,
  primary key (game_id, day)
);
comment on table game_breakdown_days is
  'The game_day_totals of a day when it was summed. A day whose totals have changed since is summed again.';

create view game_day_totals as
select d.game_id, d.day, jsonb_build_object(
  -- an event may change only which build, country or platform a day counts for
  'events', sum(d.events),
  'active', sum(d.active_players), 'new', sum(d.new_players), 'paying', sum(d.paying_players), 'purchases', sum(d.purchases),
  'revenue', jsonb_total(d.revenue),
  'returned', (
    select jsonb_object_agg(days_later, players)
    from (
      select c.active_day - c.cohort_day as days_later, sum(c.players) as players
      from game_cohorts c
      where c.game_id = d.game_id and c.cohort_day = d.day and c.active_day in (d.day + 1, d.day + 7, d.day + 28, d.day + 30)
      group by 1
    ) r
  )
) as totals
from game_days d
group by d.game_id, d.day;
comment on view game_day_totals is
  'The roll-ups of a day as one object that is only compared: if it changes, the breakdowns of the day have changed, too.';

create table breakdown_runs (
  game_id integer primary key,
  totals jsonb,
  last_player_id bigint not null default 0,
  spent_ms bigint not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz
);
comment on table breakdown_runs is
  'The last run over the players of a game. totals: the days that are being summed, with their game_day_totals when the run started; null once the run has ended.';

create table breakdown_sums (
  game_id integer not null,
  dimension text not null,
  day date not null,
  is_remainder boolean not null,
  value text not null,
  active_players bigint not null,
  new_players bigint not null,
  paying_players bigint not null,
  purchases bigint not null,
  revenue jsonb not null,
  d1 bigint not null,
  d7 bigint not null,
  d28 bigint not null,
  d30 bigint not null,
  primary key (game_id, dimension, day, is_remainder, value)
);
comment on table breakdown_sums is
  'What a run has summed so far. The dimensions weekly and monthly hold by how much the active players of each day differ from those of the day before.';

create table holdout_comparisons (
  game_id integer not null,
  day date not null,
  from_day date not null,
  holdout_percent numeric not null,
  sums jsonb not null,
  behind bigint,
  summed_at timestamptz not null,
  primary key (game_id, day)
);
comment on table holdout_comparisons is
  'What players who are held out, and the rest, spent from from_day to day. behind: how far the walk through the players is; null when it is over.';

create table segment_size_days (
  game_id integer not null references games,
  day date not null,
  -- the published version that the segments were of
  version integer not null,
  players bigint not null,
  -- segment id → players, an estimate for a game of many players
  sizes jsonb not null,
  primary key (game_id, day)
);
comment on table segment_size_days is
  'The last count of the segments of each day. A year is kept; maintenance counts on days on which nobody looks.';


-- Predictions ------------------------------------------------------------------------------------------------------------------
-- Models of when players return and what they spend: see docs/adr/0015-predictions.md.

create table prediction_models (
  game_id integer not null references games,
  version integer not null,
  trained_at timestamptz not null,
  author text not null,
  -- the last day that training has seen
  trained_day date not null,
  -- players and payers that training has read, and those that there are: of very many, a sample
  players bigint not null,
  all_players bigint not null,
  payers bigint not null,
  all_payers bigint not null,
  duration_ms integer not null,
  is_promoted boolean not null,
  report jsonb not null,
  artefact jsonb not null,
  primary key (game_id, version)
);
comment on table prediction_models is
  'Every training of a game with what came out. A row is never changed; which one is in force says prediction_states.';

create table prediction_states (
  game_id integer not null references games,
  version integer not null,
  since timestamptz not null,
  author text not null,
  -- train, roll_back or grade
  cause text not null,
  model_version integer not null,
  -- names of models whose predictions have not come true of late
  distrusted text[] not null default '{}',
  primary key (game_id, version)
);
create index prediction_states_since on prediction_states (game_id, since);
comment on table prediction_states is
  'Which model was in force since when, and which of its parts were trusted. games.predictions_version points to the newest row.';

create table prediction_grades (
  game_id integer not null,
  -- the last day of the outcome
  day date not null,
  -- activity, purchases or conversion
  model text not null,
  model_version integer not null,
  -- whether it is what players were told: else it is the model in force now, which was not in force then
  was_told boolean not null,
  metrics jsonb not null,
  health text not null,
  graded_at timestamptz not null,
  primary key (game_id, day, model, model_version)
);
comment on table prediction_grades is
  'Day by day: what a model said of a week, or one of its predictions of 28 or 90 days, compared with what happened until that day.';

-- A training that changed nothing is not kept, and a week in which there was nobody to grade leaves no grade: without this table
-- both would be tried again every hour.
create table prediction_work (
  game_id integer primary key references games,
  -- the last day that a training, or a grading, has looked at
  trained_day date,
  graded_day date,
  -- of the last attempt, if it failed
  failed_at timestamptz,
  failure text
);
comment on table prediction_work is
  'How far the training and grading of a game is, and why it failed last. A game without a row has not been looked at yet.';


-- Work in the background -------------------------------------------------------------------------------------------------------

create table export_jobs (
  id uuid primary key,
  tenant_id integer not null references tenants,
  game_id integer not null references games,
  format text not null,
  -- as the export takes them: to the microsecond, and in the order of the alphabet
  span_from text not null,
  span_to text not null,
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  created_by text not null,
  created_at timestamptz not null,
  -- of the estimate, and of what was shown last
  expected_events bigint not null,
  shown_events bigint not null default 0,
  -- of the chunks
  chunks integer not null default 0,
  events bigint not null default 0,
  bytes bigint not null default 0,
  cursor json,
  -- who is at work, and when that was last heard
  worker uuid,
  heartbeat_at timestamptz,
  attempts integer not null default 0,
  failure text,
  finished_at timestamptz,
  expires_at timestamptz not null
);
create index export_jobs_game on export_jobs (game_id, created_at, id);
create index export_jobs_tenant on export_jobs (tenant_id, created_at);
create index export_jobs_open on export_jobs (created_at, id) where state in ('waiting', 'running');
create index export_jobs_expiry on export_jobs (expires_at);
comment on table export_jobs is
  'An export that the admin API runs in the background. How far it has come is written with the chunk that it has come to, so that any node continues it after an interruption.';

create table export_chunks (
  job_id uuid not null,
  number integer not null,
  data bytea not null,
  primary key (job_id, number)
);
comment on table export_chunks is 'Members of a gzip file, in their order. Without a foreign key: they are deleted before their job, some at a time.';

create table jobs (
  id uuid primary key,
  game_id integer not null references games,
  kind text not null check (kind in ('dry_run', 'replay', 'override_import', 'training')),
  -- what the work is about, such as the reason of the events that are replayed
  subject json not null,
  state text not null check (state in ('running', 'done', 'failed', 'cancelled')),
  created_by text not null,
  created_by_email text,
  created_at timestamptz not null,
  progress_done bigint not null default 0,
  progress_total bigint,
  -- of the node that does the work
  heartbeat_at timestamptz not null,
  result json,
  failure text,
  finished_at timestamptz,
  expires_at timestamptz not null
);
create index jobs_game on jobs (game_id, created_at, id);
create index jobs_expiry on jobs (expires_at);
comment on table jobs is
  'A dry run, replay, import or training that goes on after the request that started it. The node that was asked does the work; every node reads here how far it is, and what came of it.';
