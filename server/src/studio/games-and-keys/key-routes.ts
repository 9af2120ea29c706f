import type { FastifyInstance } from 'fastify';
import { keyState, type ListedKey, listApiKeysOfGame } from '../../core/sessions/api-key-queries.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cutIdPage, PageParameters, pageOf } from '../../platform/admin-api/keyset-page.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { HOUR_MS } from '../../platform/lib/day.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { routesOfGame } from '../admin-api/admin-routes.js';
import { createApiKey, revokeApiKey, rotateApiKey } from './key-changes.js';
import {
  CreatedKeyResponse,
  KeyParameters,
  KeysResponse,
  NewKeyBody,
  RevokedKeyResponse,
  RevokeKeyParameters,
  RotatedKeyResponse,
  RotateKeyBody,
} from './key-schemas.js';

const KEY_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The API keys of a game, for the owners of its studio. */
export function keyRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Access');

  routes.get('/admin/v1/games/:game/keys', {
    role: 'owner',
    operationId: 'listApiKeys',
    summary: 'The API keys of a game, including revoked ones, by id',
    querystring: PageParameters,
    response: { 200: KeysResponse },
    handle: async ({ gameId, query }) => {
      const page = pageOf(query, KEY_ID);
      const found = await listApiKeysOfGame(ctx.pool, gameId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ keyId }) => keyId);
      return { keys: rows.map((row) => toResponse(row, ctx.clock.now())), nextCursor };
    },
  });

  routes.post('/admin/v1/games/:game/keys', {
    role: 'owner',
    operationId: 'createApiKey',
    summary: 'Create an API key; its secret is shown once',
    body: NewKeyBody,
    response: { 201: CreatedKeyResponse },
    errors: BODY_ERRORS,
    handle: async ({ game, admin, body, actorNow }) => {
      const { kind = 'client', environment = 'production', label = '', scopes = [] } = body;
      if (kind === 'server' && scopes.length === 0)
        throw invalidScopes('A server key needs at least one scope.');
      if (kind === 'client' && scopes.length > 0) throw invalidScopes('Only a server key has scopes.');
      const place = { tenant: admin.tenant, game, kind, environment, label, scopes };
      const created = await createApiKey(ctx.pool, ctx.masterKeys, place, actorNow());
      if (created === undefined) throw new ApiError('game_not_found');
      const { keyId: apiKey, secret: apiSecret } = created;
      return { apiKey, apiSecret, kind, environment, label, scopes };
    },
  });

  routes.post('/admin/v1/games/:game/keys/:apiKey/rotate', {
    role: 'owner',
    operationId: 'rotateApiKey',
    summary: 'Create a successor of an API key; the old key ends after the overlap',
    description:
      'The successor has the same kind, environment, label and scopes, and works at once. If the old key has an earlier end already, the earlier end stays.',
    params: KeyParameters,
    body: RotateKeyBody,
    response: { 201: RotatedKeyResponse },
    errors: [...BODY_ERRORS, 'api_key_not_found'],
    handle: async ({ gameId, params, body, actorNow }) => {
      const former = keyIdOf(params.apiKey);
      const overlapMs = body.overlapHours * HOUR_MS;
      const actor = actorNow();
      const rotated = await rotateApiKey(ctx.pool, ctx.masterKeys, former, actor, { overlapMs, gameId });
      if (rotated === undefined) throw new ApiError('api_key_not_found');
      const { keyId: apiKey, secret: apiSecret, kind, environment, label, scopes, formerExpiresAt } = rotated;
      return {
        apiKey,
        apiSecret,
        kind,
        environment,
        label,
        scopes,
        former: { apiKey: former, expiresAt: toTime(formerExpiresAt) },
      };
    },
  });

  routes.delete('/admin/v1/games/:game/keys/:apiKey', {
    role: 'owner',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key: from now on no node opens a session with it or serves it',
    params: KeyParameters,
    querystring: RevokeKeyParameters,
    response: { 200: RevokedKeyResponse },
    errors: ['api_key_not_found'],
    handle: async ({ gameId, params, query, actorNow }) => {
      const keyId = keyIdOf(params.apiKey);
      const endSessions = query.endSessions === 'true';
      const isRevoked = await revokeApiKey(ctx.pool, keyId, { endSessions, gameId }, actorNow());
      if (!isRevoked) throw new ApiError('api_key_not_found');
      return { apiKey: keyId };
    },
  });
}

/** The key id of the path; `api_key_not_found` if it cannot be one. */
function keyIdOf(text: string): string {
  if (!KEY_ID.test(text)) throw new ApiError('api_key_not_found');
  return text;
}

function invalidScopes(message: string): ApiError {
  return new ApiError('body_invalid', { message });
}

function toResponse(row: Omit<ListedKey, 'tenant' | 'game'>, nowMs: number) {
  const { keyId, kind, environment, label, scopes, createdAt, expiresAt, revokedAt } = row;
  return {
    apiKey: keyId,
    kind,
    environment,
    label,
    scopes,
    lastUsedAt: toTime(row.lastUsedAt),
    lastUsedFrom: row.lastUsedFrom,
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
    revokedAt: toTime(revokedAt),
    state: keyState(row, nowMs),
  };
}
