import type { SignedLogin } from '../wire.js';
import { signLogin } from './sign-login.js';

/**
 * What the handlers are made with. `allow` may refuse a device, or a request: check your own login, a ban or a rate here.
 *
 * @example
 * ```ts
 * const options: SignerOptions<Request> = {
 *   apiKey: 'my-key',
 *   apiSecret: 'my-secret',
 *   allow: async (deviceId, request) => (await sessionOf(request)).deviceId === deviceId,
 * };
 * ```
 */
export type SignerOptions<R = unknown> = {
  apiKey: string;
  apiSecret: string;
  allow?: (deviceId: string, request: R) => boolean | Promise<boolean>;
};

type SignerResponse = {
  status: number;
  body: SignedLogin | { error: { code: string; message: string }; status: 'error' };
};

/** The largest difference between the timestamp to sign and the clock of this server, which may be wrong itself. */
const MAX_SKEW_MS = 3_600_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** The limit of the service. */
const MAX_DEVICE_ID = 256;

async function respond<R>(options: SignerOptions<R>, body: unknown, request: R): Promise<SignerResponse> {
  const { deviceId, timestamp } = (body ?? {}) as Record<string, unknown>;
  if (typeof deviceId !== 'string' || deviceId === '' || deviceId.length > MAX_DEVICE_ID) {
    return refuse(400, 'body_invalid', 'Send {"deviceId": "…"} as JSON: 1 to 256 characters.');
  }
  if (options.allow !== undefined && !(await options.allow(deviceId, request))) {
    return refuse(403, 'device_refused', 'This device may not log in.');
  }
  const { apiKey, apiSecret } = options;
  const login = { apiKey, apiSecret, deviceId };
  return { status: 200, body: await signLogin(isNear(timestamp) ? { ...login, timestamp } : login) };
}

function isNear(timestamp: unknown): timestamp is string {
  return (
    typeof timestamp === 'string' &&
    TIMESTAMP.test(timestamp) &&
    Math.abs(Date.parse(timestamp) - Date.now()) <= MAX_SKEW_MS
  );
}

function refuse(status: number, code: string, message: string): SignerResponse {
  return { status, body: { error: { code, message }, status: 'error' } };
}

/**
 * A signing endpoint for servers that take a `Request` and return a `Response`: Hono, Next.js, Bun, Deno, Workers.
 *
 * @example
 * ```ts
 * import { fetchSigner } from '@savepoint/client/server';
 *
 * export const POST = fetchSigner({ apiKey, apiSecret });
 * ```
 */
export function fetchSigner(options: SignerOptions<Request>): (request: Request) => Promise<Response> {
  return async (request) => {
    const json = await request.json().catch(() => undefined);
    const { status, body } = await respond(options, json, request);
    return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
  };
}

/**
 * What {@link fastifySigner} returns: a handler, as `app.post` takes it.
 *
 * @example
 * ```ts
 * const handler: FastifyHandler = fastifySigner({ apiKey, apiSecret });
 * ```
 */
export type FastifyHandler = <
  R extends { body: unknown },
  P extends { code(status: number): unknown; header(name: string, value: string): unknown },
>(
  request: R,
  reply: P,
) => Promise<unknown>;

/**
 * A signing endpoint for Fastify.
 *
 * @example
 * ```ts
 * import { fastifySigner } from '@savepoint/client/server';
 *
 * app.post('/sign', fastifySigner({ apiKey, apiSecret }));
 * ```
 */
export function fastifySigner(options: SignerOptions<{ body: unknown }>): FastifyHandler {
  return async (request, reply) => {
    const { status, body } = await respond(options, request.body, request);
    reply.code(status);
    reply.header('cache-control', 'no-store');
    return body;
  };
}

/**
 * What {@link expressSigner} returns: a handler, as `app.post` takes it.
 *
 * @example
 * ```ts
 * const handler: ExpressHandler = expressSigner({ apiKey, apiSecret });
 * ```
 */
export type ExpressHandler = (
  request: { body?: unknown },
  response: {
    status(status: number): unknown;
    set(name: string, value: string): unknown;
    json(body: unknown): unknown;
  },
  next: (error?: unknown) => void,
) => void;

/**
 * A signing endpoint for Express; `express.json()` has to run before it.
 *
 * @example
 * ```ts
 * import { expressSigner } from '@savepoint/client/server';
 *
 * app.post('/sign', express.json(), expressSigner({ apiKey, apiSecret }));
 * ```
 */
export function expressSigner(options: SignerOptions<{ body?: unknown }>): ExpressHandler {
  return (request, response, next) => {
    respond(options, request.body, request).then(({ status, body }) => {
      response.status(status);
      response.set('cache-control', 'no-store');
      response.json(body);
    }, next);
  };
}
