import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createPool, isUnavailable, type Pool } from './pool.js';

const PAUSE_MS = 500;
/** As long as a start may be silent (app/bin/heartbeat.ts). */
const MAX_TIMEOUT_MS = 960_000;

/** Connections are opened when they are needed. */
const LONGER_POOL_SIZE = 4;

/** The database of a start: its pool has the time limit of a request. */
export type StartDatabase = Readonly<{ url: string; pool: Pool; timeoutMs: number }>;

/**
 * Reads at a start, for the nth time. Each try has twice the time of the one before: on a machine that is too busy for a request's limit,
 * tries of the same length would all fail.
 */
export async function tryLonger<T>(
  { url, pool, timeoutMs }: StartDatabase,
  tries: number,
  read: (pool: Pool) => Promise<T>,
): Promise<T> {
  if (tries === 1) return read(pool);
  const longer = createPool({
    url,
    size: LONGER_POOL_SIZE,
    timeoutMs: Math.min(timeoutMs * 2 ** (tries - 1), MAX_TIMEOUT_MS),
    // The next query reports what is wrong.
    onError: () => {},
    lookUps: 'planned each time',
  });
  try {
    return await read(longer);
  } finally {
    await longer.end();
  }
}

/**
 * For what a process reads at its start. While the database is away, or does not respond in time because the machine is busy, it is
 * asked again: a process that ended instead would load all of its code again, which keeps the machine busy.
 */
export async function untilAvailable<T>(
  database: StartDatabase,
  read: (pool: Pool) => Promise<T>,
  logger: Pick<Logger, 'warn'>,
  pauseMs = PAUSE_MS,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryLonger(database, tries, read);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (tries === 1)
        logger.warn(
          { err: error },
          'the database does not respond within SAVEPOINT_DB_TIMEOUT_MS; the start waits for it',
        );
    }
    await sleep(pauseMs);
  }
}
