import { type Client, createPool, snapshot } from '../../platform/db/pool.js';
import { createFairSemaphore, type SemaphoreLimits } from '../../platform/lib/fair-semaphore.js';

/** Exports of a process. Each has a connection, a snapshot and a page of rows for as long as its reader takes. */
const LIMITS: SemaphoreLimits = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 10 };
/** PostgreSQL ends a transaction in which nothing happens for twice as long: later than `MAX_STALL_MS` ends the export. */
const STATEMENT_TIMEOUT_MS = 60_000;

export type PlayerExports = {
  /** Runs the work in a snapshot when it is the studio's turn. Undefined: too many of the studio wait. */
  run<T>(
    studio: number | string,
    signal: AbortSignal,
    work: (client: Client, stopping: AbortSignal) => Promise<T>,
  ): Promise<T> | undefined;
  /** Ends those that run. */
  stop(): void;
  close(): Promise<void>;
};

/**
 * Bounds the exports of players that a process runs at a time. Their connections are apart from those that serve requests, which a
 * slow reader would else take away.
 */
export function createPlayerExports(databaseUrl: string): PlayerExports {
  const semaphore = createFairSemaphore(LIMITS);
  const pool = createExportPool(databaseUrl, LIMITS.maxConcurrent);
  const stopping = new AbortController();
  return {
    run: (studio, signal, work) =>
      semaphore.of(studio, signal).take(() => snapshot(pool, (client) => work(client, stopping.signal))),
    stop: () => stopping.abort(),
    close: () => pool.end(),
  };
}

export function createExportPool(databaseUrl: string, size = 1) {
  return createPool({
    url: databaseUrl,
    size,
    timeoutMs: STATEMENT_TIMEOUT_MS,
    onError: () => {},
    lookUps: 'planned each time',
  });
}
