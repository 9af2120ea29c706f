import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import { untilAvailable } from '../../../src/platform/db/until-available.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const TIMEOUT_MS = 50;

let testDatabase: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ template: 'empty' });
  pool = createPool({ url: testDatabase.url, size: 1, timeoutMs: TIMEOUT_MS, onError: () => {} });
});
afterAll(async () => {
  await pool.end();
  await testDatabase.drop();
});

it('gives each read of a start more time than the one before: one that takes longer than a request may ends, too', async () => {
  const warn = vi.fn();
  const database = { url: testDatabase.url, pool, timeoutMs: TIMEOUT_MS };
  const read = (from: Pool) => from.query('select 1 as n from pg_sleep(0.3)');
  const { rows } = await untilAvailable(database, read, { warn }, 1);
  expect(rows).toEqual([{ n: 1 }]);
  expect(warn).toHaveBeenCalledOnce();
});

it('throws what is no outage', async () => {
  const database = { url: testDatabase.url, pool, timeoutMs: 60_000 };
  const read = () => Promise.reject(new Error('a mistake'));
  await expect(untilAvailable(database, read, { warn: vi.fn() })).rejects.toThrow('a mistake');
});
