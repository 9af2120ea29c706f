import type { PassThrough } from 'node:stream';
import type { Logger } from 'pino';
import { asApiError } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';

/** What long work writes its JSON lines with. */
export type LineWriter = Readonly<{
  /** Aborted when the client has hung up, or the service is being stopped. */
  signal: AbortSignal;
  write(line: Record<string, unknown>): void;
  /** Reports progress. Most calls are dropped, so that the client gets a few lines a second. */
  tell(progress: Record<string, unknown>): void;
}>;

/** Often enough for a person who watches. */
const PROGRESS_INTERVAL_MS = 500;

/**
 * A response of JSON lines, for work that takes a while: progress, then a result or an error. The work ends when the client
 * hangs up.
 */
export async function writeJsonLines(
  lines: PassThrough,
  { logger, what }: Readonly<{ logger: Logger; what: string }>,
  work: (writer: LineWriter) => Promise<void>,
): Promise<void> {
  const write = (line: Record<string, unknown>) => {
    if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`);
  };
  const stopping = new AbortController();
  lines.once('close', () => stopping.abort());
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (progress: Record<string, unknown>) => {
    if (performance.now() - toldAt < PROGRESS_INTERVAL_MS) return;
    toldAt = performance.now();
    write({ progress });
  };
  try {
    await work({ signal: stopping.signal, write, tell });
  } catch (error) {
    if (stopping.signal.aborted) return;
    const apiError = asApiError(error);
    const { code, message } = apiError instanceof ApiError ? apiError : new ApiError('internal');
    logger.error({ err: error }, `${what} failed`);
    write({ error: { code, message } });
  } finally {
    lines.end();
  }
}
