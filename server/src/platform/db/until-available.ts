import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isUnavailable } from './pool.js';

const PAUSE_MS = 500;

/**
 * For what a process reads at its start. While the database is away, or does not respond in time because the machine is busy, it is
 * asked again: a process that ended instead would load all of its code again, which keeps the machine busy.
 */
export async function untilAvailable<T>(
  read: () => Promise<T>,
  logger: Pick<Logger, 'warn'>,
  pauseMs = PAUSE_MS,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
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
