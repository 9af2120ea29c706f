import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pause } from '../../../src/platform/db/pause.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** Longer than a test may take: a pause of this step that should not be there would be noticed. */
const HOUR_MS = 3_600_000;
const AT_WORK = `from pg_stat_activity
  where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`;

let database: TestDatabase;
let connection: pg.Client;
let other: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  [connection, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([connection.connect(), other.connect()]);
});

afterEach(async () => {
  await Promise.all([connection.end(), other.end()]);
  await database.drop();
});

it('goes on when nobody else is at work', async () => {
  await pause(connection, { stepMs: HOUR_MS, share: 1, leastMs: 0 });
});

it('pauses while others are at work, until it is interrupted', async () => {
  const work = other.query('select pg_sleep(3600)').catch((error: Error) => error.message);
  const isAtWork = async () => (await connection.query(`select ${AT_WORK}`)).rowCount;
  await expect.poll(isAtWork, { timeout: 120_000 }).toBe(1);

  const controller = new AbortController();
  let isOver = false;
  const pausing = pause(connection, {
    stepMs: HOUR_MS,
    share: 1,
    leastMs: 0,
    signal: controller.signal,
  }).then(() => {
    isOver = true;
  });
  // It asks on the same connection, so by the first of these responses the pause has begun.
  for (let turn = 0; turn < 20; turn++) await isAtWork();
  expect(isOver).toBe(false);
  controller.abort();
  await pausing;

  await connection.query(`select pg_cancel_backend(pid) ${AT_WORK}`);
  expect(await work).toContain('canceling statement');
});
