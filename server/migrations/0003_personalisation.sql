-- What a studio decides about its players: drafts of configuration, overrides of flags, who may change them, and who did.

alter table config_versions
  -- {"payer": 2}: how often each segment has changed so far; kept for deleted ones, so that no number is used twice
  add column segment_versions json not null default '{}',
  -- the older version that was published again, if this is a way back
  add column copy_of integer;

create table config_drafts (
  game_id integer primary key references games(id),
  -- goes up with every change: an editor who saves says which one they saw
  revision integer not null,
  -- both null while the draft is what is published
  based_on integer,
  document json,
  updated_by text not null,
  updated_at timestamptz not null,
  check ((document is null) = (based_on is null))
);
comment on table config_drafts is 'The next configuration of a game while it is edited.';

create table flag_overrides (
  id bigint generated always as identity primary key,
  player_id bigint not null references players(id),
  flag_id text not null,
  value boolean not null,
  reason text not null,
  author text not null,
  set_at timestamptz not null,
  until timestamptz,
  -- replaced or taken back: from then on it never was for the player, but what was said before can still be explained
  cleared_at timestamptz,
  cleared_by text
);
create unique index flag_overrides_standing on flag_overrides (player_id, flag_id) where cleared_at is null;
create index flag_overrides_player on flag_overrides (player_id, set_at);
comment on table flag_overrides is 'Flags of single players that a studio has set, whatever the rule says.';

-- The last change of the player's overrides: it makes the row a new version of itself, and says whether there are any.
alter table players add column overrides_at timestamptz;
create index players_game on players (game_id, id);

create table admin_tokens (
  token_id text primary key,
  tenant_id integer not null references tenants(id),
  name text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
comment on column admin_tokens.token_hash is 'SHA-256 of 256 random bits: nothing to guess, nothing to salt.';

create table audit_log (
  id bigint generated always as identity primary key,
  tenant_id integer not null references tenants(id),
  game_id integer references games(id),
  at timestamptz not null,
  actor text not null,
  action text not null,
  target text not null,
  before json,
  after json
);
create index audit_log_tenant on audit_log (tenant_id, id);
comment on table audit_log is 'Who changed what, and when: written in the transaction of the change, never changed.';

create or replace function merge_profiles(a jsonb, b jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'country', later_entry(a -> 'country', b -> 'country'),
    'locale', later_entry(a -> 'locale', b -> 'locale'),
    'osName', later_entry(a -> 'osName', b -> 'osName'),
    'osVersion', later_entry(a -> 'osVersion', b -> 'osVersion'),
    'deviceType', later_entry(a -> 'deviceType', b -> 'deviceType'),
    'currency', later_entry(a -> 'currency', b -> 'currency')
  ))
$$;
