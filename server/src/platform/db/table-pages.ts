import type { DedicatedConnection } from './dedicated-connection.js';

/** How many pages a table has, for work that goes through it some pages at a time. */
export async function countPages(connection: DedicatedConnection, table: string): Promise<number> {
  const { rows } = await connection.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`,
    [table],
  );
  return rows[0]?.pages ?? 0;
}

/** Which table has this name at the moment: another one may take its place. */
export async function findTableOid(connection: DedicatedConnection, table: string): Promise<number | null> {
  const { rows } = await connection.query<{ oid: number | null }>('select to_regclass($1)::oid as oid', [
    table,
  ]);
  return rows[0]?.oid ?? null;
}
