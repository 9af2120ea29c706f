-- A player who never told a currency is shown prices in that of the last purchase: paidCurrency, beside what metadata tells.
create or replace function merge_profiles(a jsonb, b jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'country', later_entry(a -> 'country', b -> 'country'),
    'locale', later_entry(a -> 'locale', b -> 'locale'),
    'osName', later_entry(a -> 'osName', b -> 'osName'),
    'osVersion', later_entry(a -> 'osVersion', b -> 'osVersion'),
    'deviceType', later_entry(a -> 'deviceType', b -> 'deviceType'),
    'currency', later_entry(a -> 'currency', b -> 'currency'),
    'paidCurrency', later_entry(a -> 'paidCurrency', b -> 'paidCurrency')
  ))
$$;

update players p
set
  profile = p.profile || jsonb_build_object('paidCurrency', jsonb_build_object(
    'v', t.currency, 't', floor(extract(epoch from t.purchased_at) * 1000)::bigint
  )),
  profile_at = greatest(p.profile_at, t.purchased_at)
from (
  select distinct on (player_id) player_id, currency, purchased_at
  from transactions
  where currency is not null and purchased_at is not null
  order by player_id, purchased_at desc, currency collate "C" desc
) t
where p.id = t.player_id;
