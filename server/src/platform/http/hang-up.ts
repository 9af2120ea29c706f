import type { FastifyReply } from 'fastify';

/** Comes when the client has gone before it was answered, which it may have before this is called. */
export function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  const leave = () => {
    if (!raw.writableEnded) leaving.abort();
  };
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return leaving.signal;
}
