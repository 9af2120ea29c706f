import type { Pool } from '../../src/db/pool.js';

/** Whether a transaction waits for a lock on this table. */
export async function isWaitedFor(pool: Pool, table: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select from pg_locks where relation = $1::regclass and not granted limit 1',
    [table],
  );
  return rowCount === 1;
}
