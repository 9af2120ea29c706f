import type { Logger } from 'pino';

const LOG_EVERY_MS = 60_000;

/**
 * Logs failures of something that is not stored, at most one line a minute. A database that only reads fails every one of them: a line
 * for each would fill the disk.
 */
export function createFailureReport(logger: Logger, message: string): (error: unknown) => void {
  let notStored = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    notStored++;
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    logger.error({ err: error, notStored }, message);
    loggedAt = performance.now();
    notStored = 0;
  };
}
