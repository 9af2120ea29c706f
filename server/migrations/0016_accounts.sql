-- People who sign in to the console and the admin API. An account belongs to no studio: it may be a member of several.
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

create table account_sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index account_sessions_account on account_sessions (account_id);
create index account_sessions_expiry on account_sessions (expires_at);
comment on column account_sessions.token_hash is 'SHA-256 of 256 random bits: nothing to guess, nothing to salt.';
comment on column account_sessions.seen_at is 'Written once an hour at the most.';

-- A row is deleted when its link is used: that makes it work once.
create table sign_in_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  expires_at timestamptz not null
);
create index sign_in_links_account on sign_in_links (account_id);
create index sign_in_links_expiry on sign_in_links (expires_at);

create table invitations (
  id uuid primary key,
  tenant_id integer not null references tenants,
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (tenant_id, email_key)
);
create index invitations_tenant on invitations (tenant_id, id);
create index invitations_expiry on invitations (expires_at);

-- A key that was rotated ends by itself. Every login reads the row anyway.
alter table api_keys add column expires_at timestamptz;
comment on column api_keys.expires_at is 'From then on it opens no session; those that it has opened go on.';

-- Pages of the tokens of a studio. There are as many rows as somebody has made by hand, so the lock is held for a moment only.
alter table admin_tokens add constraint admin_tokens_of_tenant unique (tenant_id, token_id);
