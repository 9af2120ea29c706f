import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClockReading,
  describeOffset,
  isOff,
  offsetOf,
  readDatabaseClock,
  watchDatabaseClock,
} from '../../../src/platform/db/database-clock.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import { DAY_MS, HOUR_MS } from '../../../src/platform/lib/day.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, size: 2, timeoutMs: 60_000, onError: () => {} });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The clock of a machine that is wrong by an amount, which a test changes. */
const createNodeClock = (aheadMs = 0) => {
  const node = { aheadMs, now: () => Date.now() + node.aheadMs };
  return node;
};
const readingOf = (offsetMs: number, uncertaintyMs = 0): ClockReading => ({
  nodeMs: 1_000_000_000 + offsetMs,
  databaseMs: 1_000_000_000,
  uncertaintyMs,
});
/** Tests run on the machine of the database: the offset is what the test has set, give or take the rounding to milliseconds. */
const ROUNDING_MS = 2;

describe('a reading of both clocks', () => {
  it.each([
    [60_000, 0, false],
    [60_001, 0, true],
    [-60_000, 0, false],
    [-60_001, 0, true],
    [62_000, 2_000, false],
    [62_001, 2_000, true],
    [-62_000, 2_000, false],
  ])('with an offset of %i ms, known to %i ms, is off: %s', (offsetMs, uncertaintyMs, expected) => {
    expect(isOff(readingOf(offsetMs, uncertaintyMs))).toBe(expected);
  });

  it.each([
    [100 * DAY_MS, '100 days ahead of'],
    [-3 * HOUR_MS, '3 hours behind'],
    [-150_000, '3 minutes behind'],
    [61_000, '61 seconds ahead of'],
  ])('says an offset of %i ms in words', (offsetMs, words) => {
    const sentence = `The clock of this node is ${words} the clock of the database.`;
    expect(describeOffset(readingOf(offsetMs))).toBe(sentence);
  });

  it('is not mistaken for an offset when the database answers slowly', async () => {
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock(1)');
    await withDedicatedConnection(pool, async (connection) => {
      const busy = connection.query('select pg_advisory_lock(1)');
      const awaited = readDatabaseClock(connection);
      // The reading has begun, and waits behind the statement that waits for the lock.
      await sleep(250);
      await holder.query('select pg_advisory_unlock(1)');
      await busy;
      const reading = await awaited;
      expect(reading.uncertaintyMs).toBeGreaterThan(100);
      expect(Math.abs(offsetOf(reading))).toBeLessThanOrEqual(reading.uncertaintyMs + ROUNDING_MS);
    }).finally(() => holder.release());
  });

  it('tells how far the node is ahead', async () => {
    const reading = await readDatabaseClock(pool, createNodeClock(100 * DAY_MS));
    expect(Math.abs(offsetOf(reading) - 100 * DAY_MS)).toBeLessThanOrEqual(
      reading.uncertaintyMs + ROUNDING_MS,
    );
  });
});

describe('the clock of a process', () => {
  const NEVER_MS = 3_600_000;
  const isNearNow = (ms: number) => Math.abs(ms - Date.now()) < 30_000;

  it('is the clock of the node while that is right', async () => {
    const node = createNodeClock(30_000);
    const clock = await watchDatabaseClock({ pool, node, everyMs: NEVER_MS });
    const before = node.now();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    clock.stop();
  });

  it.each([
    ['ahead', 100 * DAY_MS],
    ['behind', -100 * DAY_MS],
  ])('is the clock of the database on a node that started 100 days %s', async (_, aheadMs) => {
    const clock = await watchDatabaseClock({ pool, node: createNodeClock(aheadMs), everyMs: NEVER_MS });
    expect(isNearNow(clock.now())).toBe(true);
    clock.stop();
  });

  it.each([
    ['ahead', 100 * DAY_MS],
    ['back', -100 * DAY_MS],
  ])('notices a jump %s at once, before it reads the clock of the database again', async (_, jumpMs) => {
    const node = createNodeClock();
    const clock = await watchDatabaseClock({ pool, node, everyMs: NEVER_MS });
    node.aheadMs = jumpMs;
    expect(isNearNow(clock.now())).toBe(true);
    expect(isOff(clock.reading() as ClockReading)).toBe(true);
    node.aheadMs = 0;
    expect(isNearNow(clock.now())).toBe(true);
    expect(isOff(clock.reading() as ClockReading)).toBe(false);
    clock.stop();
  });

  it('reports each change once', async () => {
    const node = createNodeClock();
    const changes: boolean[] = [];
    const onChange = (reading: ClockReading) => changes.push(isOff(reading));
    const clock = await watchDatabaseClock({ pool, node, onChange, everyMs: 1 });
    node.aheadMs = DAY_MS;
    await expect.poll(() => changes).toEqual([true]);
    node.aheadMs = 2 * DAY_MS;
    await expect.poll(() => offsetOf(clock.reading() as ClockReading)).toBeGreaterThan(1.9 * DAY_MS);
    node.aheadMs = 0;
    await expect.poll(() => changes).toEqual([true, false]);
    clock.stop();
  });

  it('is the clock of the node as long as the database has not answered', async () => {
    const away = createPool({
      url: 'postgres://nobody@127.0.0.1:1/none',
      size: 1,
      timeoutMs: 1_000,
      onError: () => {},
    });
    const clock = await watchDatabaseClock({ pool: away, node: { now: () => 42 }, everyMs: NEVER_MS });
    expect(clock.reading()).toBeUndefined();
    expect(clock.now()).toBe(42);
    clock.stop();
    await away.end();
  });
});
