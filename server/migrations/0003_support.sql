-- For people who help players: notes, refused purchases by their transaction, payers by what they paid. The indexes that
-- belong to it are in 0008_support_concurrently.sql.

create table player_notes (
  player_id bigint not null,
  id bigint generated always as identity,
  text text not null,
  author text not null,
  author_email text,
  -- Who may edit it: the person or the token that wrote it.
  author_account uuid,
  author_token text,
  created_at timestamptz not null,
  edited_at timestamptz,
  primary key (player_id, id)
);
comment on table player_notes is 'What people of the studio have written down about a player, for each other. Players never see it.';

alter table failed_events add column transaction_id text;
comment on column failed_events.transaction_id is 'payload.transactionId of a refused purchase or refund, as far as it could be read: support looks for it. Null in entries from before 1.1.';

-- Amounts of several currencies cannot be compared without rates, and rates change. So a payer is listed under one currency: the
-- one with the largest amount. Nearly all players pay in one currency.
create function main_currency(spend jsonb) returns text language sql immutable parallel safe as $$
  select key from jsonb_each(spend) where value > '0' order by value desc, key limit 1
$$;

create function main_amount(spend jsonb) returns numeric language sql immutable parallel safe as $$
  select value::numeric from jsonb_each(spend) where value > '0' order by value desc, key limit 1
$$;
