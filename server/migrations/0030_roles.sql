-- What the running service changes in the schema, as functions that run with the rights of the schema's owner. So the service can
-- run with a role that may only read and write rows: `savepoint migrate --grant-to` (ADR 0061). They reach the partitions of events
-- and the tables of their rewrites, whose rows that role may delete anyway. Functions are called by their full names where one with
-- types that fit better could come before them.

-- As before, and for these two tables only.
create or replace function attach_partition(parent text, child text, key text, first_value text, end_value text) returns boolean
language plpgsql set lock_timeout = '500ms' as $$
declare
  taken boolean;
  unsampled text;
begin
  if (parent, key) not in (('event_blocks', 'received_at'), ('event_identities', 'generation')) or child !~ ('^' || parent || '_[0-9]{8}$') then
    raise insufficient_privilege using message = pg_catalog.format('%s is no partition of events', child);
  end if;
  execute pg_catalog.format('select exists (select from %I where %I >= %L and %I < %L)', parent || '_default', key, first_value, key, end_value)
  into taken;
  if taken or to_regclass(child) is not null then
    return false;
  end if;
  execute pg_catalog.format('create table %I (like %I including all)', child, parent);
  -- which `like` leaves out
  for unsampled in
    select attname from pg_attribute where attrelid = parent::regclass and attstattarget = 0 and attnum > 0 and not attisdropped
  loop
    execute pg_catalog.format('alter table %I alter column %I set statistics 0', child, unsampled);
  end loop;
  execute pg_catalog.format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, first_value, end_value);
  return true;
exception
  -- a row of that time came in between the look and the lock
  when check_violation then return false;
end
$$;

create function drop_partition(child text) returns void
language plpgsql as $$
begin
  if child !~ '^event_(blocks|identities)_[0-9]{8}$' then
    raise insufficient_privilege using message = pg_catalog.format('%s is no partition of events', child);
  end if;
  execute pg_catalog.format('drop table %I', child);
end
$$;

-- From here on event_block_changes tells of every transaction that changes a block of the day.
create function begin_day_rewrite(day date) returns void
language plpgsql as $$
declare
  day_table text := 'event_blocks_' || pg_catalog.to_char(day::timestamp, 'YYYYMMDD'::text);
  rewrite_table text := day_table || '_compact';
begin
  execute pg_catalog.format(
    'create or replace trigger note_change after insert or update or delete on %I
     for each row execute function note_event_block_change(%L)',
    day_table, day
  );
  execute pg_catalog.format('drop table if exists %I', rewrite_table);
  -- With the constraint PostgreSQL need not look at each row when the table becomes a partition.
  execute pg_catalog.format(
    'create table %I (
       like event_blocks including all,
       constraint of_its_day check (received_at >= %L and received_at < %L)
     )',
    rewrite_table, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC'
  );
  -- As in every partition; `like` leaves it out.
  execute pg_catalog.format('alter table %I alter column events set statistics 0', rewrite_table);
end
$$;

create function drop_day_rewrite(day date) returns void
language plpgsql as $$
begin
  execute pg_catalog.format('drop table if exists %I', 'event_blocks_' || pg_catalog.to_char(day::timestamp, 'YYYYMMDD'::text) || '_compact');
end
$$;

create function swap_in_day_rewrite(day date) returns void
language plpgsql as $$
declare
  day_table text := 'event_blocks_' || pg_catalog.to_char(day::timestamp, 'YYYYMMDD'::text);
  rewrite_table text := day_table || '_compact';
begin
  execute pg_catalog.format('alter table event_blocks detach partition %I', day_table);
  execute pg_catalog.format('drop table %I', day_table);
  execute pg_catalog.format('alter table %I rename to %I', rewrite_table, day_table);
  execute pg_catalog.format(
    'alter table event_blocks attach partition %I for values from (%L) to (%L)',
    day_table, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC'
  );
  execute pg_catalog.format('alter table %I drop constraint of_its_day', day_table);
end
$$;

-- Temporary tables come last in the search path: a caller could else put one in the place of a table.
do $$
declare
  routine regprocedure;
begin
  foreach routine in array array[
    'attach_partition(text, text, text, text, text)'::regprocedure,
    'drop_partition(text)'::regprocedure,
    'begin_day_rewrite(date)'::regprocedure,
    'drop_day_rewrite(date)'::regprocedure,
    'swap_in_day_rewrite(date)'::regprocedure
  ]
  loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', routine, current_schema());
    execute format('revoke execute on function %s from public', routine);
  end loop;
end
$$;
