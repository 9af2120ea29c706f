import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readiness } from '../../src/bin/readiness.js';
import type { ProcessStatus } from '../../src/bin/supervised-process.js';
import { createHarness, type Harness } from '../support/harness.js';

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

const RIGHT_CLOCK = { reading: () => ({ nodeMs: 0, databaseMs: 0, uncertaintyMs: 1 }) };

const readinessOf = (...workers: ProcessStatus[]) =>
  readiness({
    pool: harness.pool,
    status: async () => ({ isStopping: false, workers, replacements: { worker: NONE, operations: NONE } }),
    queue: undefined,
    clock: RIGHT_CLOCK,
  });

describe('readiness', () => {
  it('is ok while all workers serve', async () => {
    const checks = { database: 'ok', workers: 'ok', clock: 'ok' };
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
      clock: RIGHT_CLOCK,
    };
    expect(await readiness(sources)).toEqual({
      ready: false,
      checks: { database: 'ok', workers: 'the primary process does not respond', clock: 'ok' },
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
      clock: RIGHT_CLOCK,
    };
    expect(await readiness(sources)).toEqual({
      ready: false,
      checks: {
        database: 'ok',
        workers: 'the node is stopping: send players elsewhere',
        clock: 'ok',
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
      clock: { reading: () => ({ nodeMs: 120_000, databaseMs: 0, uncertaintyMs: 1 }) },
    };
    const { ready, checks } = await readiness(sources);
    expect(ready).toBe(false);
    expect(checks.clock).toContain('ahead of the clock of the database');
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
    expect(await readiness({ pool: harness.pool, status, queue, clock: RIGHT_CLOCK })).toEqual({
      ready: true,
      checks: { database: 'ok', workers: 'ok', clock: 'ok', queue: 'away', consumers: 'unknown' },
    });
  });
});
