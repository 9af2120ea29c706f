import type { FastifyReply, FastifyRequest } from 'fastify';

export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
}

/** How long an offline client may go on with what it has. After that the content may be wrong by time alone. */
const MAX_STALE_SECONDS = 86_400;

export function sendWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  json: string,
  validForMs: number,
): FastifyReply {
  const staleSeconds = Math.max(0, Math.min(MAX_STALE_SECONDS, Math.floor(validForMs / 1000)));
  // Private, and revalidated on every request: what a player sees can change with any event or publication. Only while the
  // service cannot be reached may a client show it without asking, until time alone would change it.
  reply.header('etag', etag).header('cache-control', `private, no-cache, stale-if-error=${staleSeconds}`);
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : sendJson(reply, json);
}

/** RFC 9110: a list of tags or `*`, compared weakly. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare);
}
