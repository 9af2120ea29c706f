import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.js';

/** Headers that no request of either listener may repeat: who asks, which host is asked, and how long the body is. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'content-length']);

export function registerSingleHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    requireHost(request.raw);
    refuseRepeatedHeaders(request.raw, SINGLE_HEADERS);
    done();
  });
}

/** For the HTTP server of an app: Node refuses a request without `Host` with an empty body, so it is left to `requireHost`. */
export const HOST_CHECKED_LATER = { requireHostHeader: false };

/** HTTP/1.1 requires the header (RFC 9112), HTTP/1.0 does not know it. */
function requireHost({ httpVersion, headers }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new ApiError('header_missing', { message: 'The header host is missing.' });
  }
}

/** Whether any header is sent more than once. Cheap: no names are compared. */
export function hasRepeatedHeaders({ rawHeaders, headers }: IncomingMessage): boolean {
  let different = 0;
  for (const _ in headers) different++;
  return rawHeaders.length !== different * 2;
}

/** Node keeps the first of repeated headers, or joins them. A proxy in front of Node may read another one. */
export function refuseRepeatedHeaders(request: IncomingMessage, names: ReadonlySet<string>): void {
  if (!hasRepeatedHeaders(request)) return;
  const { rawHeaders } = request;
  let seen = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!names.has(name)) continue;
    if (seen.includes(`|${name}|`)) {
      throw new ApiError('header_invalid', { message: `The header ${name} is sent more than once.` });
    }
    seen += `|${name}|`;
  }
}
