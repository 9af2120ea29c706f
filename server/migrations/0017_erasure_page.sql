-- A page per game where a person who has removed the game asks for erasure, with a code that the game had shown.

alter table games add column erasure_page boolean default false not null;
comment on column games.erasure_page is 'Whether the game has a public page on which players ask for their erasure.';

create table erasure_codes (
  player_id bigint primary key,
  game_id integer not null,
  code_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index erasure_codes_hash on erasure_codes (game_id, code_hash);
comment on table erasure_codes is
  'The code with which a player can ask for erasure on the page of the game: one of each player. It is made from the key of erasures and the time of its creation, so the game can show it again, and the database does not hold it.';
comment on column erasure_codes.code_hash is 'HMAC-SHA-256 of the code under erasure_key.';
comment on column erasure_codes.expires_at is 'Moves on whenever the game shows the code.';
