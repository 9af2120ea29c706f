import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('a database whose own settings would harm the service', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'empty' });
    const owner = new pg.Client(database.url);
    await owner.connect();
    const name = new URL(database.url).pathname.slice(1);
    for (const setting of [
      'jit = on',
      "timezone = 'Asia/Tokyo'",
      "datestyle = 'German'",
      "default_transaction_isolation = 'serializable'",
      // Long enough for the statement that overrides it, however busy the machine.
      "statement_timeout = '50s'",
    ]) {
      await owner.query(`alter database ${name} set ${setting}`);
    }
    await owner.end();
    const url = new URL(database.url);
    url.searchParams.set('options', '-c enable_seqscan=on -c plan_cache_mode=auto');
    pool = createPool({
      url: url.href,
      size: 1,
      timeoutMs: 60_000,
      onError: () => {},
      lookUps: 'planned once',
    });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const SETTINGS = `select name, setting from pg_settings
    where name in ('jit', 'TimeZone', 'default_transaction_isolation', 'enable_seqscan', 'plan_cache_mode',
      'statement_timeout')
    order by lower(name)`;

  it('is overridden on the connections that serve requests, also where DATABASE_URL has options', async () => {
    const { rows } = await pool.query<{ name: string; setting: string }>(SETTINGS);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      jit: 'off',
      TimeZone: 'UTC',
      default_transaction_isolation: 'read committed',
      enable_seqscan: 'off',
      plan_cache_mode: 'force_generic_plan',
      statement_timeout: '60000',
    });
    const at = await pool.query<{ at: number }>("select timestamptz '2026-11-15 01:02:03.456Z' as at");
    expect(at.rows).toEqual([{ at: Date.UTC(2026, 10, 15, 1, 2, 3, 456) }]);
  });

  it('is overridden on connections for long work', async () => {
    const found = await withDedicatedConnection(pool, async (connection) => {
      const { rows } = await connection.query(
        "select current_setting('jit') as jit, current_setting('statement_timeout') as timeout, now() as now",
      );
      return rows;
    });
    expect(found).toEqual([{ jit: 'off', timeout: '0', now: expect.any(Number) }]);
  });
});
