-- Keys of the studio's own servers, devices that a studio has attached to another player, and the age group of a player.

alter table api_keys
  add column kind text not null default 'client' check (kind in ('client', 'server')),
  add column secret_hash bytea,
  add column scopes text[] not null default '{}',
  add column last_used_at timestamptz,
  add column last_used_from text,
  alter column sealed_secret drop not null,
  add constraint api_keys_secret check (
    (kind = 'client') = (sealed_secret is not null) and (kind = 'server') = (secret_hash is not null)
  );
comment on table api_keys is
  'A key with which clients of a game sign their logins, or which the studio''s own servers send. A key is never deleted.';
comment on column api_keys.secret_hash is 'SHA-256 of the secret of a server key.';
comment on column api_keys.scopes is 'What a server key may do.';
comment on column api_keys.last_used_at is 'Of a server key, to the minute.';

alter table devices
  add column attached_at timestamptz,
  add column own_player_id bigint;
comment on column devices.attached_at is 'When the studio''s server attached the device to player_id; null: the device made that player itself.';
comment on column devices.own_player_id is 'The player that the device had before it was attached; null: it had none.';

-- no check constraint: PostgreSQL would read the whole table for it
alter table players add column age_group text, add column age_group_at timestamptz;
comment on column players.age_group is 'child, teen or adult, as the studio''s server says; null: it has not said.';
comment on column players.age_group_at is 'When the age group was last set to another one.';
