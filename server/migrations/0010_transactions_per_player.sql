-- A transaction counts once per player, so that nobody can claim another player's. Purchases are counted by differences:
-- a recount of all transactions for every purchase let one player with 400,000 of them stop everybody else.

alter table transactions
  -- of several purchases of a player with one transactionId, the one received first counts
  add column received_at timestamptz,
  drop constraint transactions_pkey,
  add primary key (player_id, transaction_id);
update transactions set received_at = purchased_at where purchased_at is not null;
drop index transactions_player;
-- the first and the last purchase of a player, whatever is refunded in between
create index transactions_counted on transactions (player_id, purchased_at)
  where purchased_at is not null and refunded_at is null;

create table player_promotions (
  player_id bigint not null,
  promo_id text not null,
  purchases integer not null default 0,
  primary key (player_id, promo_id)
);
comment on table player_promotions is 'How many purchases of a player, refunds taken off, name a promotion: what limits per player go by.';
insert into player_promotions (player_id, promo_id, purchases)
select player_id, promo_id, count(*)
from transactions
where promo_id is not null and purchased_at is not null and refunded_at is null
group by player_id, promo_id;

-- Amounts per currency. What adds up to nothing is left out and trailing zeros are cut, so that a sum does not tell in which
-- order, or with which detours, it came about.
create or replace function jsonb_add(a jsonb, b jsonb) returns jsonb
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
