-- The time zone of a player, in which schedules of offers are read.

alter table players add column time_zone jsonb;
comment on column players.time_zone is
  'The time zone of the player as {"v": name, "t": epoch milliseconds of the report}: the first report of the last UTC day with one. So it changes at most once a day, and nobody gets a daily offer twice by changing it.';

-- The report that counts, in whatever order the two came.
create function counting_zone(a jsonb, b jsonb) returns jsonb
  language sql immutable parallel safe
  as $$
  select case
    when a is null then b
    when b is null then a
    when (a ->> 't')::bigint / 86400000 > (b ->> 't')::bigint / 86400000 then a
    when (a ->> 't')::bigint / 86400000 < (b ->> 't')::bigint / 86400000 then b
    when (a ->> 't')::bigint < (b ->> 't')::bigint then a
    when (a ->> 't')::bigint > (b ->> 't')::bigint then b
    when (a ->> 'v') collate "C" <= (b ->> 'v') collate "C" then a
    else b
  end
$$;
