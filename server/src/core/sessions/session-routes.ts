import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';
import type { Static } from 'typebox';
import { ApiError } from '../../platform/errors.js';
import { BEARER, BODY_ERRORS, errorResponses, GUARD_ERRORS } from '../../platform/http/api-schemas.js';
import { withSchemaTypes } from '../../platform/http/validation.js';
import { limitInFlight } from '../../platform/overload/shedding.js';
import { isDeviceIdText } from './device-id.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { authenticated, NO_HEADERS, requirePlayer } from './player-guard.js';
import { refresh } from './refresh.js';
import { explainRefusedLogin } from './refused-login.js';
import type { SessionContext } from './session-context.js';
import type { SessionGrant } from './session-grant.js';
import {
  JwksResponse,
  LoginBody,
  LogoutBody,
  LogoutResponse,
  RefreshBody,
  SessionResponse,
} from './session-schemas.js';
import { JWKS_MAX_AGE_SECONDS } from './signing-keys.js';

/** Nothing under /auth/ is ever larger. */
const AUTH_BODY_LIMIT = 16_384;

export function sessionRoutes(app: FastifyInstance, ctx: SessionContext): void {
  const routes = withSchemaTypes(app);
  const { shedding, settings } = ctx;
  const { login: perDevice, player: perPlayer, failures: perAddress } = ctx.rateLimits;
  const limit = limitInFlight({ shedding, form: 'auth', maxWaitMs: settings.maxWaitMs });

  routes.post(
    '/auth/login',
    {
      bodyLimit: AUTH_BODY_LIMIT,
      onRequest: limit,
      ...(ctx.settings.environment === 'development' && { onResponse: explainRefusal(ctx) }),
      schema: {
        operationId: 'login',
        tags: ['Sessions'],
        summary: 'Exchange a signed request for tokens and the player configuration',
        description:
          'The same device of the same game is always the same player. A second login never ends the first session. The response holds the whole player configuration, so a game can start with this one call.',
        security: [],
        body: LoginBody,
        response: {
          200: SessionResponse,
          ...errorResponses('auth', [
            ...BODY_ERRORS,
            'header_invalid',
            'timestamp_malformed',
            'timestamp_out_of_window',
            'credentials_invalid',
            'rate_limited',
            'internal',
            'unavailable',
          ]),
        },
      },
    },
    async (request, reply) => {
      const { deviceId } = request.body;
      if (!isDeviceIdText(deviceId)) {
        throw new ApiError('body_invalid', { message: 'deviceId must not hold control characters.' });
      }
      return sendGrant(
        await login(ctx, request.body, { address: request.ip, perDevice, perAddress }),
        request,
        reply,
      );
    },
  );

  routes.post(
    '/auth/refresh',
    {
      bodyLimit: AUTH_BODY_LIMIT,
      onRequest: limit,
      schema: {
        operationId: 'refresh',
        tags: ['Sessions'],
        summary: 'Exchange a refresh token for new tokens',
        description:
          'Responds as login does. The token is rotated: keep the new one. A retry within 30 seconds (a lost response, two threads) is given the same successor; a token used again later ends its session, and only that one.',
        security: [],
        body: RefreshBody,
        response: {
          200: SessionResponse,
          ...errorResponses('auth', [
            ...BODY_ERRORS,
            'header_invalid',
            'refresh_token_invalid',
            'rate_limited',
            'internal',
            'unavailable',
          ]),
        },
      },
    },
    async (request, reply) => {
      const limits = { address: request.ip, perPlayer, perAddress };
      return sendGrant(await refresh(ctx, request.body.refreshToken, limits), request, reply);
    },
  );

  routes.post(
    '/auth/logout',
    {
      bodyLimit: AUTH_BODY_LIMIT,
      onRequest: [limit, requirePlayer(ctx, { headers: NO_HEADERS, limit: perPlayer })],
      schema: {
        operationId: 'logout',
        tags: ['Sessions'],
        summary: 'End this session, or every session of the player',
        description: 'The body may be left out.',
        security: BEARER,
        body: LogoutBody,
        response: {
          200: LogoutResponse,
          ...errorResponses('auth', [...GUARD_ERRORS, ...BODY_ERRORS]),
        },
      },
    },
    async (request, reply) => {
      const { claims, player } = authenticated(request);
      const owner = { playerId: player.playerId, sessionId: claims.sessionId };
      const revokedSessions = await logout(ctx, owner, request.body ?? {});
      return reply.header('cache-control', 'no-store').send({ data: { revokedSessions }, status: 'success' });
    },
  );

  app.get(
    '/.well-known/jwks.json',
    {
      schema: {
        operationId: 'jwks',
        tags: ['Sessions'],
        summary: 'The public keys that check access tokens',
        description:
          "For a studio's own game servers: check a player's access token (ES256, `typ` `at+jwt`) offline. The keys may be kept for as long as `Cache-Control` says; meet an unknown `kid` by asking again. A key that was revoked is no longer listed.",
        security: [],
        response: { 200: JwksResponse },
      },
    },
    async (_request, reply) =>
      reply
        .header('cache-control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
        // Only a browser, which names its origin, gets the headers that let it read this.
        .header('vary', 'Origin')
        .send(await ctx.signingKeys.jwks()),
  );
}

/** Runs once the response is sent, so it cannot affect the response. */
function explainRefusal(ctx: SessionContext): onResponseHookHandler {
  return (request, { statusCode }, done) => {
    done();
    if (statusCode === 401)
      void explainRefusedLogin(ctx, request.id, request.body as Static<typeof LoginBody>);
  };
}

function sendGrant(grant: SessionGrant, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.identity = { tenantId: grant.tenantId, gameId: grant.gameId, userId: grant.userId };
  return reply
    .headers(grant.headers)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(grant.json);
}
