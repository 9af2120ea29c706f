import type pg from 'pg';

/** Roles that an operator has made, with their passwords, as statements that make them. */
export async function listRoles(old: pg.Client): Promise<string[]> {
  const { rows } = await old.query<{ sql: string }>(`
    select format('create role %I with %s connection limit %s password %L valid until %L', rolname, concat_ws(' ',
      case when rolsuper then 'superuser' else 'nosuperuser' end, case when rolinherit then 'inherit' else 'noinherit' end,
      case when rolcreaterole then 'createrole' else 'nocreaterole' end, case when rolcreatedb then 'createdb' else 'nocreatedb' end,
      case when rolcanlogin then 'login' else 'nologin' end, case when rolreplication then 'replication' else 'noreplication' end,
      case when rolbypassrls then 'bypassrls' else 'nobypassrls' end
    ), rolconnlimit, rolpassword, coalesce(rolvaliduntil, 'infinity')) as sql
    from pg_authid where rolname !~ '^pg_' and rolname not in ('postgres', 'savepoint')
    order by rolname`);
  return rows.map(({ sql }) => sql);
}

/** A right that somebody else than the owner has, as the statements that give it and take it away. */
export type Right = Readonly<{ give: string; take: string }>;

/** The rights in the database. Owners have all of theirs anyway, and which these are depends on the version of PostgreSQL. */
export async function listRights(client: pg.Client): Promise<Right[]> {
  const { rows } = await client.query<Right>(LIST);
  return rows;
}

const LIST = `
  with owned as (
    select case c.relkind when 'S' then 'sequence' else 'table' end as kind, format('%I', c.relname) as name, '' as part, c.relowner as owner,
      coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's'::"char" else 'r' end, c.relowner)) as acl
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and c.relname !~ '^event_blocks_[0-9]{8}_compact$'
    union all
    select 'table', format('%I', c.relname), format(' (%I)', attname), c.relowner, attacl
    from pg_attribute join pg_class c on c.oid = attrelid where c.relnamespace = 'public'::regnamespace and attacl is not null
    union all
    select 'routine', oid::regprocedure::text, '', proowner, coalesce(proacl, acldefault('f', proowner))
    from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select 'schema', 'public', '', nspowner, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace where nspname = 'public'
    union all
    select 'database', format('%I', datname), '', datdba, coalesce(datacl, acldefault('d', datdba))
    from pg_database where datname = current_database()
  ), rights as (
    select format('%s%s on %s %s', privilege_type, part, kind, name) as what, grantee, is_grantable, '' as before
    from owned cross join lateral aclexplode(acl) where grantee <> owner
    union all
    select format('%s on %ss', privilege_type, case defaclobjtype when 'r' then 'table' when 'S' then 'sequence' else 'routine' end),
      grantee, is_grantable,
      format('alter default privileges for role %s%s ', defaclrole::regrole, ' in schema ' || nullif(defaclnamespace, 0)::regnamespace::text)
    from pg_default_acl cross join lateral aclexplode(defaclacl)
    where grantee <> defaclrole and defaclobjtype in ('r', 'S', 'f')
  )
  select format('%sgrant %s to %s%s', before, what, who, case when is_grantable then ' with grant option' end) as give,
    format('%srevoke %s from %s', before, what, who) as take
  from rights
  cross join lateral (select case grantee when 0 then 'public' else grantee::regrole::text end as who) w
  union all
  select format('grant %s to %s%s', roleid::regrole, member::regrole, case when admin_option then ' with admin option' end),
    format('revoke %s from %s', roleid::regrole, member::regrole)
  from pg_auth_members
  where roleid::regrole::text !~ '^pg_' or member::regrole::text !~ '^pg_'
  order by 1`;

/** What brings the rights of the second database to those of the first. */
export function differenceOfRights(old: readonly Right[], newer: readonly Right[]): string[] {
  const [had, has] = [new Set(old.map(({ give }) => give)), new Set(newer.map(({ give }) => give))];
  return [
    ...newer.filter(({ give }) => !had.has(give)).map(({ take }) => take),
    ...old.filter(({ give }) => !has.has(give)).map(({ give }) => give),
  ];
}
