import type { PassThrough } from 'node:stream';
import type { Logger } from 'pino';
import { asApiError } from '../db/pool.js';
import { ApiError } from '../errors.js';

/** What the work behind a response of lines writes with. */
export type LineWriter = Readonly<{
  /** Aborted when nobody reads the lines any more, or the service is being stopped. */
  signal: AbortSignal;
  write(line: Record<string, unknown>): void;
  /** How far the work is: most calls are left out. */
  tell(progress: Record<string, unknown>): void;
}>;

/** Often enough for somebody who watches. */
const PROGRESS_INTERVAL_MS = 500;

/** A response as lines of JSON, for work that takes a while: progress, then a result or an error. Who hangs up ends it. */
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
