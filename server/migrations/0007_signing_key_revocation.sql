-- A leaked signing key can be withdrawn, and every node obeys with its next request: every request reads the row of its game, which
-- tells the version of the keys, and a node that finds a higher one than it knows reads the keys again (ADR 0003). (A look-up of
-- signing_key_state itself would cost PostgreSQL 14 µs for each group of requests; the column costs nothing that can be measured.)
create table signing_key_state (
  only_row boolean primary key default true check (only_row),
  version integer not null
);
comment on column signing_key_state.version is 'One more after every change of signing_keys: a key added, brought forward or revoked.';

-- The newest key that is active signs. By the order in which they were added, not by clocks, which differ between machines.
alter table signing_keys add column ordinal integer;
update signing_keys k set ordinal = n.ordinal
from (select kid, row_number() over (order by active_from, created_at, kid) as ordinal from signing_keys) n
where n.kid = k.kid;
insert into signing_key_state (version) select coalesce(max(ordinal), 0) from signing_keys;
alter table signing_keys
  alter column ordinal set not null,
  add constraint signing_keys_ordinal_key unique (ordinal),
  add column revoked_at timestamptz;
comment on column signing_keys.ordinal is 'The version of signing_key_state that added the key.';
comment on column signing_keys.revoked_at is 'From then on it neither signs nor verifies, on any node.';

alter table games add column signing_keys_version integer not null default 0;
update games set signing_keys_version = (select version from signing_key_state);
comment on column games.signing_keys_version is 'signing_key_state.version, the same for all games.';
