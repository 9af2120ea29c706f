import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asApiError } from '../db/pool.js';
import { ApiError, ERRORS, type ErrorCode, errorBody } from '../errors.js';
import { OverloadedError, type OverloadReason } from '../lib/overloaded-error.js';
import { newRequestId } from './request-id.js';

const BODY_TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';
/** A proxy in front refuses larger ones itself: deploy/nginx, deploy/caddy. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** Errors of Fastify itself, as our error codes. */
const FASTIFY_ERRORS = new Map<string, ErrorCode>([
  [BODY_TOO_LARGE, 'body_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'request_invalid'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'body_invalid'],
  ['FST_ERR_BAD_URL', 'request_invalid'],
  ['FST_ERR_ASYNC_CONSTRAINT', 'not_found'],
]);

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What the error handler tells and asks when a request is refused for overload. */
type OverloadHandling = {
  refused(reason: OverloadReason): void;
  retryAfterSeconds(): number;
};
/** Of listeners that seldom refuse a request for overload, such as that of operations. */
const OCCASIONAL: OverloadHandling = { refused() {}, retryAfterSeconds: () => 2 };

export function registerErrorHandlers(app: FastifyInstance, overload = OCCASIONAL): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code === BODY_TOO_LARGE) readToTheEnd(request, reply);
    if (!(error instanceof OverloadedError)) return sendError(toApiError(error), request, reply);
    overload.refused(error.reason);
    request.isShed = true;
    const headers = { 'retry-after': String(overload.retryAfterSeconds()) };
    return sendError(new ApiError('unavailable', { headers, cause: error }), request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
    const error =
      allowed.length > 0
        ? new ApiError('method_not_allowed', { headers: { allow: allowed.join(', ') } })
        : new ApiError('not_found');
    return sendError(error, request, reply);
  });
}

/**
 * Fastify closes the connection of a body that is too large while it is still being sent. A proxy that sends it then often misses the
 * response, and tells the client 502, which clients try again; with 413 they do not. So the rest of the body
 * is discarded.
 */
function readToTheEnd({ headers, raw }: FastifyRequest, reply: FastifyReply): void {
  const bytes = Number(headers['content-length']);
  // A client that asked whether to send its body may send it or not: what comes next on the connection is ambiguous.
  if (!(bytes <= MAX_DISCARDED_BYTES) || headers.expect !== undefined || !reply.raw.shouldKeepAlive) return;
  reply.header('connection', 'keep-alive');
  raw.resume();
}

export function toApiError(error: FastifyError): ApiError {
  if (error instanceof ApiError) return error;
  const apiError = asApiError(error);
  if (apiError instanceof ApiError) return apiError;
  const known = FASTIFY_ERRORS.get(error.code);
  if (known !== undefined) return new ApiError(known);
  // Any other error that the framework attributes to the client is the client's.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('request_invalid', { cause: error });
  }
  return new ApiError('internal', { cause: error });
}

export function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  prepareError(error, request, reply);
  return (
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      // The route, where there is one: /%61uth/login is /auth/login, and its errors have the form of that route.
      .send(JSON.stringify(errorBody(error, request.routeOptions.url ?? request.url)))
  );
}

/** Logs an error, and sets the status and the headers of its response. */
export function prepareError(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.status >= 500 && !request.isShed) {
    const log = error.status === 503 ? request.log.warn : request.log.error;
    log.call(
      request.log,
      { requestId: request.id, err: error.cause ?? error, code: error.code },
      'a request failed',
    );
  }
  if (error.status === 401) {
    reply.header(
      'www-authenticate',
      error.code === 'token_missing' ? 'Bearer' : 'Bearer error="invalid_token"',
    );
  }
  // The id is set again here: a request that the router refuses does not pass the hook that sets it.
  reply.code(error.status).header('x-request-id', request.id).headers(error.headers);
}

/** Input that never became a request: Node's parser refused it, or it arrived too slowly. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code: ErrorCode =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'request_timeout'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? 'headers_too_large'
        : 'request_invalid';
  const body = JSON.stringify(errorBody(new ApiError(code), ''));
  socket.end(
    `HTTP/1.1 ${ERRORS[code].status} ${code}\r\nx-request-id: ${newRequestId()}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
