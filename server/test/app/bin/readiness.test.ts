import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readiness } from '../../../src/app/bin/readiness.js';
import type { ProcessStatus } from '../../../src/app/bin/supervised-process.js';
import { reachesDatabase } from '../../../src/app/bin/workers-reach.js';
import { createPool } from '../../../src/platform/db/pool.js';
import { createHarness, type Harness, NO_TIMEOUT_MS } from '../../support/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const NONE = { stuck: 0, ended: 0 };
const SERVING: ProcessStatus = { pid: 17, state: 'serving', silentSeconds: 0.5 };
const STARTING: ProcessStatus = { pid: 18, state: 'starting', silentSeconds: 7 };
const SILENT: ProcessStatus = { pid: 19, state: 'silent', silentSeconds: 3.5 };
const ENDED: ProcessStatus = { pid: null, state: 'ended', silentSeconds: 0 };
const UNREACHABLE_QUEUE = { ok: false, queue: 'away', consumers: 'unknown' };

const ROOM = { freeBytes: 50 * 1024 ** 3, totalBytes: 100 * 1024 ** 3, isOutOfFiles: false };
const RIGHT_CLOCK = { reading: () => ({ nodeMs: 0, databaseMs: 0, uncertaintyMs: 1 }) };

const USUAL = { reach: async () => [true, true], clock: RIGHT_CLOCK, disk: { reading: () => ROOM } };

const readinessOf = (...workers: ProcessStatus[]) =>
  readiness({
    pool: harness.pool,
    status: async () => ({ isStopping: false, workers, replacements: { worker: NONE, operations: NONE } }),
    queue: undefined,
    ...USUAL,
  });

describe('readiness', () => {
  it('is ok while all workers serve', async () => {
    const checks = { database: 'ok', workers: 'ok', clock: 'ok', disk: 'ok' };
    expect(await readinessOf(SERVING, SERVING)).toEqual({ ready: true, checks });
  });

  it('names the workers that do not serve, and holds while one does', async () => {
    const { ready, checks } = await readinessOf(SERVING, STARTING, SILENT, ENDED);
    expect(ready).toBe(true);
    expect(checks.workers).toBe(
      '1 of 4 API workers serve players: process 18 is starting, process 19 has not turned its event loop for 3.5 s and is replaced after 5 s, one has ended and is started again soon',
    );
  });

  it.each([STARTING, SILENT, ENDED])('ends when the only worker is $state', async (worker) => {
    const { ready, checks } = await readinessOf(worker);
    expect(ready).toBe(false);
    expect(checks.workers).toContain('0 of 1 API workers serve players');
  });

  it('ends when the primary does not respond', async () => {
    const sources = {
      pool: harness.pool,
      status: async () => undefined,
      queue: undefined,
      ...USUAL,
    };
    expect(await readiness(sources)).toEqual({
      ready: false,
      checks: { database: 'ok', workers: 'the primary process does not respond', clock: 'ok', disk: 'ok' },
    });
  });

  it('ends when the node has been told to stop, while it still serves', async () => {
    const sources = {
      pool: harness.pool,
      status: async () => ({
        isStopping: true,
        workers: [SERVING],
        replacements: { worker: NONE, operations: NONE },
      }),
      queue: undefined,
      ...USUAL,
    };
    expect(await readiness(sources)).toEqual({
      ready: false,
      checks: {
        database: 'ok',
        workers: 'the node is stopping: send players elsewhere',
        clock: 'ok',
        disk: 'ok',
      },
    });
  });

  it('ends while the clock is off by more than a minute', async () => {
    const sources = {
      pool: harness.pool,
      status: async () => ({
        isStopping: false,
        workers: [SERVING],
        replacements: { worker: NONE, operations: NONE },
      }),
      queue: undefined,
      ...USUAL,
      clock: { reading: () => ({ nodeMs: 120_000, databaseMs: 0, uncertaintyMs: 1 }) },
    };
    const { ready, checks } = await readiness(sources);
    expect(ready).toBe(false);
    expect(checks.clock).toContain('ahead of the clock of the database');
  });

  it('holds without the replica, and says so', async () => {
    const reads = { replica: 0, primary: 0 };
    const withReplica = (problem: string | null) =>
      readiness({
        pool: harness.pool,
        status: async () => ({
          isStopping: false,
          workers: [SERVING],
          replacements: { worker: NONE, operations: NONE },
        }),
        queue: undefined,
        ...USUAL,
        replica: { state: () => ({ problem, lagSeconds: 0, reads }) },
      });
    expect(await withReplica(null)).toMatchObject({ ready: true, checks: { replica: 'ok' } });
    expect(await withReplica('it is not a standby')).toMatchObject({
      ready: true,
      checks: { replica: 'it is not a standby: the primary serves its reads' },
    });
  });

  it('holds without NATS, and says so', async () => {
    const { status } = {
      status: async () => ({
        isStopping: false,
        workers: [SERVING],
        replacements: { worker: NONE, operations: NONE },
      }),
    };
    const queue = async () => UNREACHABLE_QUEUE;
    expect(await readiness({ pool: harness.pool, status, queue, ...USUAL })).toEqual({
      ready: true,
      checks: { database: 'ok', workers: 'ok', clock: 'ok', disk: 'ok', queue: 'away', consumers: 'unknown' },
    });
  });

  it('ends while no worker gets a connection, and holds while one does', async () => {
    const status = async () => ({
      isStopping: false,
      workers: [SERVING, SERVING],
      replacements: { worker: NONE, operations: NONE },
    });
    const usual = { ...USUAL, pool: harness.pool, status, queue: undefined };
    const without = await readiness({ ...usual, reach: async () => [false, false] });
    expect(without).toMatchObject({
      ready: false,
      checks: { database: 'the database gives the API workers no connections' },
    });
    expect(await readiness({ ...usual, reach: async () => [false, true] })).toMatchObject({ ready: true });
    // A queue goes on taking events.
    const queue = async () => ({ ok: true, queue: 'ok', consumers: 'ok' });
    expect(await readiness({ ...usual, queue, reach: async () => [false] })).toMatchObject({ ready: true });
  });

  it('ends while the disk is all but full, and holds while it is only low', async () => {
    const status = async () => ({
      isStopping: false,
      workers: [SERVING],
      replacements: { worker: NONE, operations: NONE },
    });
    const usual = { ...USUAL, pool: harness.pool, status, queue: undefined };
    const withFree = (freeBytes: number) =>
      readiness({ ...usual, disk: { reading: () => ({ ...ROOM, freeBytes }) } });
    expect(await withFree(100 * 1024 ** 2)).toMatchObject({
      ready: false,
      checks: {
        disk: 'The disk of the data folder has 100 MB of 100.0 GB left: no events are taken until there is room',
      },
    });
    expect(await withFree(1024 ** 3)).toMatchObject({ ready: true, checks: { disk: 'ok' } });
  });
});

describe('a worker', () => {
  it('gets connections, or does not', async () => {
    expect(await reachesDatabase(harness.pool)).toBe(true);
    const url = new URL(harness.databaseUrl);
    url.username = 'nobody_with_this_name';
    const pool = createPool({ url: url.href, size: 1, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
    expect(await reachesDatabase(pool)).toBe(false);
    await pool.end();
  });
});
