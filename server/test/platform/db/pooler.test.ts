import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { createPool } from '../../../src/platform/db/pool.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { HAS_PGBOUNCER, NEEDS_PGBOUNCER, startPgBouncer } from '../../support/pgbouncer.js';

describe.skipIf(!HAS_PGBOUNCER)(`behind PgBouncer${NEEDS_PGBOUNCER}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'empty' });
  });
  afterAll(() => database.drop());

  it('in transaction mode a start is refused with a sentence, and holds no lock afterwards', async () => {
    const bouncer = await startPgBouncer(database.url, 'transaction');
    try {
      await expect(migrate(bouncer.url, () => {})).rejects.toThrow(/Use pool_mode = session/);
    } finally {
      await bouncer.stop();
    }
    const pool = createPool({ url: database.url, size: 1, timeoutMs: 60_000, onError: () => {} });
    // Other databases of this server have locks of their own.
    const { rows } = await pool.query(
      `select pid from pg_locks
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    await pool.end();
    expect(rows).toEqual([]);
  });

  it('in session mode migrations, pools and dedicated connections work, with their settings', async () => {
    const bouncer = await startPgBouncer(database.url, 'session');
    const pool = createPool({
      url: bouncer.url,
      size: 2,
      timeoutMs: 60_000,
      onError: () => {},
      lookUps: 'planned once',
    });
    try {
      expect(await migrate(bouncer.url, () => {})).not.toEqual([]);
      expect(await migrate(bouncer.url, () => {})).toEqual([]);
      const setting = "select current_setting('enable_seqscan') as seqscan, current_setting('jit') as jit";
      expect((await pool.query(setting)).rows).toEqual([{ seqscan: 'off', jit: 'off' }]);
      await withDedicatedConnection(pool, async (connection) => {
        const { rows } = await connection.query("select current_setting('jit') as jit");
        expect(rows).toEqual([{ jit: 'off' }]);
      });
    } finally {
      await pool.end();
      await bouncer.stop();
    }
  });
});
