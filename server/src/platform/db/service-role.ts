import pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { type Client, type Pool, transaction } from './pool.js';

/** The first version in which the right to vacuum a table can be granted. Without it no day would be compacted. */
const MAINTAIN_SINCE = 170_000;

type Roles = Readonly<{
  version: number;
  owner: string;
  schema: string;
  exists: boolean;
  isMember: boolean;
  mayCreate: boolean;
}>;

/**
 * Lets a role serve players without the right to change the schema: it reads and writes rows, and calls the functions that make, swap
 * and drop partitions of events with the rights of their owner. Tables of later migrations and partitions are included.
 * @throws StartupError if the role cannot be used
 */
export async function grantToServiceRole(pool: Pool, role: string): Promise<void> {
  await transaction(pool, async (client) => {
    const { owner, schema } = await requireUsable(client, role);
    const [grantee, grantor, space] = [role, owner, schema].map((name) => pg.escapeIdentifier(name));
    const byDefault = `alter default privileges for role ${grantor} in schema ${space}`;
    const rows = 'select, insert, update, delete, maintain';
    const statements = [
      `grant usage on schema ${space} to ${grantee}`,
      `grant ${rows} on all tables in schema ${space} to ${grantee}`,
      `grant usage on all sequences in schema ${space} to ${grantee}`,
      `grant execute on all functions in schema ${space} to ${grantee}`,
      `${byDefault} grant ${rows} on tables to ${grantee}`,
      `${byDefault} grant usage on sequences to ${grantee}`,
      `${byDefault} grant execute on functions to ${grantee}`,
      // Only migrations write it.
      `revoke insert, update, delete, maintain on schema_migrations from ${grantee}`,
    ];
    for (const statement of statements) await client.query(statement);
  });
}

async function requireUsable(client: Client, role: string): Promise<Roles> {
  const { rows } = await client.query<Roles>(
    `select current_setting('server_version_num')::int as version, pg_get_userbyid(p.proowner) as owner, current_schema() as schema,
       exists (select from pg_roles where rolname = $1) as exists,
       coalesce((select pg_has_role(oid, p.proowner, 'member') from pg_roles where rolname = $1), false) as "isMember",
       coalesce((select has_schema_privilege(oid, current_schema(), 'create') from pg_roles where rolname = $1), false) as "mayCreate"
     from pg_proc p
     where p.oid = to_regprocedure('drop_partition(text)')`,
    [role],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the schema is not migrated');
  if (found.version < MAINTAIN_SINCE) {
    throw new StartupError(
      'A role of its own for the service needs PostgreSQL 17 or newer: earlier versions cannot grant the right to vacuum, without which events are not compacted. Start the service with the role that owns the tables.',
    );
  }
  if (role.startsWith('pg_')) {
    throw new StartupError(
      `Role "${role}" belongs to PostgreSQL, and nobody can log in with it: whoever has it would get these rights, too. Name a role of your own.`,
    );
  }
  if (!found.exists) {
    throw new StartupError(
      `Role "${role}" does not exist. Make it first: create role ${pg.escapeIdentifier(role)} login password '…';`,
    );
  }
  if (found.isMember) {
    throw new StartupError(
      `Role "${role}" has all rights of "${found.owner}", which owns the tables. Name a role that has not.`,
    );
  }
  // It could else put a function of its own in the place of one that the owner's functions call.
  if (found.mayCreate) {
    const [space, grantee] = [found.schema, role].map((name) => pg.escapeIdentifier(name));
    throw new StartupError(
      `Role "${role}" may create tables and functions in the schema. Take that away first: revoke create on schema ${space} from public, ${grantee};`,
    );
  }
  return found;
}
