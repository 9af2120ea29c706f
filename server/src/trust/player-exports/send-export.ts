import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

/** How long a reader may take for a piece, and for all of it. The snapshot of an export holds up vacuum and compaction. */
export const MAX_STALL_MS = 60_000;
const MAX_EXPORT_MS = 600_000;

/** `left`: the client hung up, or read too slowly. */
export type SendOutcome = 'sent' | 'left' | 'failed';

type Limits = Readonly<{ stallMs: number; totalMs: number }>;

/**
 * Sends the pieces of a document as the client takes them, and resolves when the response is over. A client that gets less than all of
 * it can tell: the response ends without its last chunk.
 */
export async function sendExport(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  { userId, stopping }: Readonly<{ userId: string; stopping: AbortSignal }>,
  limits: Limits = { stallMs: MAX_STALL_MS, totalMs: MAX_EXPORT_MS },
): Promise<SendOutcome> {
  let hasLeft = false;
  const stream = Readable.from(
    inTime(pieces, limits, () => {
      hasLeft = true;
      stream.destroy();
    }),
  );
  const stop = () => stream.destroy(new Error('the service is being stopped'));
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="player-${userId}.json"`)
    .send(stream);
  try {
    await finished(stream);
    return 'sent';
  } catch (error) {
    return hasLeft || (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE' ? 'left' : 'failed';
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

/** Calls `onLate` if a piece is not taken in time. */
async function* inTime(
  pieces: AsyncGenerator<string>,
  { stallMs, totalMs }: Limits,
  onLate: () => void,
): AsyncGenerator<string> {
  const endsAt = performance.now() + totalMs;
  for await (const piece of pieces) {
    const timer = setTimeout(onLate, Math.max(0, Math.min(stallMs, endsAt - performance.now())));
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}
