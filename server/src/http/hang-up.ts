import type { FastifyReply } from 'fastify';

/** Comes when the client has gone before it was answered. */
export function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) leaving.abort();
  });
  return leaving.signal;
}
