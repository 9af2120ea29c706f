import type { Logger } from 'pino';

/** A database that is slow is slow for everybody: a line a second says it. */
const MIN_PAUSE_MS = 1_000;
const MAX_LENGTH = 300;

/** Logs statements that take longer than a setting says, by name or text and never with values. */
export function createSlowStatements(
  thresholdMs: number,
  logger: Logger,
  now: () => number = () => performance.now(),
): (statement: string) => (error?: Error) => void {
  let lastLoggedAt = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (statement) => {
    const start = now();
    return () => {
      const end = now();
      if (end - start < thresholdMs) return;
      if (end - lastLoggedAt < MIN_PAUSE_MS) {
        leftOut++;
        return;
      }
      const text = statement.replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH);
      logger.warn(
        { statement: text, ms: Math.round(end - start), othersSince: leftOut },
        'a statement was slow',
      );
      lastLoggedAt = end;
      leftOut = 0;
    };
  };
}
