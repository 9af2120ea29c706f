import type pg from 'pg';

/**
 * Everything in a database that migrations can make, by name. Partitions are made by the running service, with the indexes of their tables, and
 * are left out; another index of a partition is somebody's own. Definitions are not compared: two major versions write the same one differently.
 */
export async function listObjects(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(LIST);
  return rows.map(({ name }) => name);
}

const LIST = `
  with own as (
    select oid, relname, relkind from pg_class
    where relnamespace = 'public'::regnamespace and not relispartition and relname !~ '^event_blocks_[0-9]{8}_compact'
  )
  select case relkind
      when 'r' then 'table ' when 'p' then 'table ' when 'i' then 'index ' when 'I' then 'index ' when 'S' then 'sequence ' when 'v' then 'view '
      else 'relation ' end || relname as name
  from own
  where relkind not in ('i', 'I') or not exists (
    select from pg_index i join pg_class t on t.oid = i.indrelid
    where i.indexrelid = own.oid and t.relname ~ '^event_blocks_[0-9]{8}_compact$'
  )
  union all
  select format('column %s.%s %s', relname, attname, format_type(atttypid, atttypmod))
  from pg_attribute join own on own.oid = attrelid
  where relkind in ('r', 'p') and attnum > 0 and not attisdropped
  union all
  select format('constraint %s of %s', conname, relname) from pg_constraint join own on own.oid = conrelid where contype <> 'n'
  union all
  select format('trigger %s of %s', tgname, relname) from pg_trigger join own on own.oid = tgrelid where not tgisinternal
  union all
  select format('policy %s of %s', polname, relname) from pg_policy join own on own.oid = polrelid
  union all
  select format('function %s', oid::regprocedure) from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select format('type %s', typname) from pg_type where typnamespace = 'public'::regnamespace and typtype in ('d', 'e', 'r')
  union all
  select format('statistics %s', stxname) from pg_statistic_ext
  union all
  select format('schema %s', nspname) from pg_namespace where nspname !~ '^pg_' and nspname not in ('public', 'information_schema')
  union all
  select format('extension %s', extname) from pg_extension where extname <> 'plpgsql'
  union all
  select format('publication %s', pubname) from pg_publication
  union all
  select format('subscription %s', subname) from pg_subscription where subdbid = (select oid from pg_database where datname = current_database())
  union all
  select format('event trigger %s', evtname) from pg_event_trigger
  union all
  select format('foreign server %s', srvname) from pg_foreign_server
  union all
  select format('large object %s', oid) from pg_largeobject_metadata
  union all
  select format('database %s', datname) from pg_database where not datistemplate and datname not in ('postgres', 'savepoint')
  union all
  select format('tablespace %s', spcname) from pg_tablespace where spcname !~ '^pg_'
  order by 1`;
