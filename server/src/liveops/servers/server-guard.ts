import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerScope } from '../../core/sessions/api-key-queries.js';
import { ApiError } from '../../platform/errors.js';
import { bearerToken } from '../../platform/http/bearer-token.js';
import { refuseRepeatedHeaders } from '../../platform/http/repeated-headers.js';
import { readServerKey } from '../../platform/lib/server-key.js';
import type { ServerContext } from './server-context.js';
import type { ServerKeyRow } from './server-key-queries.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of server routes. */
    serverKey: ServerKeyRow | undefined;
  }
}

const TENANT_HEADER: ReadonlySet<string> = new Set(['x-tenant-id']);

/**
 * The guard of the routes for the studio's own servers, as an onRequest hook: the key, its scope, its rate limit and the tenant, in
 * this order. A token of a player is refused like any other text that is no server key.
 */
export function requireServer(ctx: ServerContext, scope: ServerScope) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const text = bearerToken(request.headers.authorization);
    if (readServerKey(text) === undefined) throw new ApiError('token_invalid');
    // Whoever can open a page can read the key in it.
    if (request.headers.origin !== undefined) throw new ApiError('server_key_in_browser');
    const key = await ctx.serverKeys.authenticate(text);
    if (key === undefined) throw new ApiError('token_invalid');
    request.identity = { tenantId: key.tenantSlug, gameId: key.gameSlug };
    if (!key.scopes.includes(scope)) {
      throw new ApiError('scope_missing', { message: `The server key does not have the scope ${scope}.` });
    }
    reply.headers(ctx.rateLimits.server.take(key.keyId));
    refuseRepeatedHeaders(request.raw, TENANT_HEADER);
    const tenant = request.headers['x-tenant-id'];
    if (tenant === undefined || tenant === '') {
      throw new ApiError('header_missing', { message: 'The header X-Tenant-ID is missing.' });
    }
    if (tenant !== key.tenantSlug) throw new ApiError('tenant_mismatch');
    ctx.serverKeys.noteUse(key.keyId, request.ip);
    request.serverKey = key;
  };
}

/** The key that the guard has found. */
export function serverKeyOf({ serverKey }: FastifyRequest): ServerKeyRow {
  if (serverKey === undefined) throw new Error('this route is outside of its guard');
  return serverKey;
}
