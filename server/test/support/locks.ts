import type { Pool } from '../../src/platform/db/pool.js';

/** Whether a transaction waits for a lock on this table. */
export async function isWaitedFor(pool: Pool, table: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_locks
     where relation = $1::regclass and not granted
       and database = (select oid from pg_database where datname = current_database())
     limit 1`,
    [table],
  );
  return rowCount === 1;
}

/** The session that waits for a lock in a statement that begins like this. */
export async function findWaiting(pool: Pool, statement: string): Promise<number | undefined> {
  return (await listWaiting(pool, statement))[0];
}

/** All sessions that do. */
export async function listWaiting(pool: Pool, statement: string): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query ilike $1 and pid <> pg_backend_pid()`,
    [`${statement}%`],
  );
  return rows.map(({ pid }) => pid);
}
