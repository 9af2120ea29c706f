import type pg from 'pg';
import { StartupError } from '../lib/startup-error.js';

/**
 * Since PostgreSQL 15 only the owner of a database may create tables in its schema `public`.
 * @throws StartupError that says what to grant
 */
export async function requireRightToCreate(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ role: string; schema: string | null; mayCreate: boolean | null }>(
    `select current_user as role, current_schema() as schema,
       has_schema_privilege(current_schema(), 'create') as "mayCreate"`,
  );
  const { role, schema, mayCreate } = rows[0] ?? { role: '', schema: null, mayCreate: false };
  if (schema !== null && mayCreate === true) return;
  throw new StartupError(
    schema === null
      ? `No schema on the search path exists in which role "${role}" may work. As the owner of the database, run: grant usage, create on schema public to "${role}";`
      : `Role "${role}" may not create tables in schema "${schema}". As the owner of the database, run: grant create on schema "${schema}" to "${role}"; or keep the tables with another role, and run with it: savepoint migrate --grant-to "${role}".`,
  );
}

/** The right to migrate, or the rights that `savepoint migrate --grant-to` gives. */
export async function requireRightToServe(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ mayServe: boolean | null }>(
    `select has_function_privilege(to_regprocedure('drop_partition(text)'), 'execute') as "mayServe"`,
  );
  if (rows[0]?.mayServe !== true) await requireRightToCreate(client);
}
