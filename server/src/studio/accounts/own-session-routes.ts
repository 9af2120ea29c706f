import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { nullable, Time, toTime } from '../../platform/admin-api/admin-responses.js';
import { cutPage, listResponse, pageParameters, timeCursorOf } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { routesOfAccount } from '../admin-api/admin-routes.js';
import type { AccountContext } from './account-context.js';
import { SignedOutResponse } from './account-schemas.js';
import {
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  type OwnSession,
  SESSION_ID,
  sessionIdOf,
} from './own-sessions.js';

const LIMITS = { max: 100, fallback: 50 };
const LIST = 'own sessions';
const ID_EXAMPLE = '3f9a1c0b7d2e4f683f9a1c0b';

const OwnSessionsResponse = listResponse(
  'OwnSessionsResponse',
  'sessions',
  Type.Object(
    {
      sessionId: Type.String(),
      isCurrent: Type.Boolean({ description: 'True: the session of this request' }),
      browser: nullable(Type.String({ description: 'The browser that signed in, by its user agent' })),
      network: nullable(Type.String({ description: 'The network that the sign-in came from' })),
      signedInAt: Time('When the session began'),
      seenAt: Time('When the session was last used, to within an hour'),
      expiresAt: Time('When the session ends if it is not used again'),
    },
    { title: 'OwnSession' },
  ),
  {
    example: {
      sessionId: ID_EXAMPLE,
      isCurrent: true,
      browser: 'Firefox on Windows',
      network: '203.0.113.0/24',
      signedInAt: '2026-11-15T12:00:00.000Z',
      seenAt: '2026-11-16T08:00:00.000Z',
      expiresAt: '2026-11-23T08:00:00.000Z',
    },
    description: 'Newest first',
  },
);

/** The sessions of the own account. */
export function ownSessionRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = routesOfAccount(app, ctx, 'Account');

  routes.get('/admin/v1/account/sessions', {
    operationId: 'listOwnSessions',
    summary: 'The sessions of your account',
    querystring: Type.Object(pageParameters(LIMITS)),
    response: { 200: OwnSessionsResponse },
    handle: async ({ signedIn: { accountId, tokenHash }, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const after = timeCursorOf(LIST, cursor, SESSION_ID);
      const found = await listOwnSessions(ctx.pool, accountId, { after, limit }, ctx.clock.now());
      const keyOf = ({ createdAt, sessionId }: OwnSession) => [createdAt, sessionId];
      const { page, nextCursor } = cutPage(LIST, found, limit, keyOf);
      const current = sessionIdOf(tokenHash);
      return {
        sessions: page.map(({ sessionId, createdAt, seenAt, expiresAt, network, browser }) => ({
          sessionId,
          isCurrent: sessionId === current,
          browser,
          network,
          signedInAt: toTime(createdAt),
          seenAt: toTime(seenAt),
          expiresAt: toTime(expiresAt),
        })),
        nextCursor,
      };
    },
  });

  routes.delete('/admin/v1/account/sessions/:sessionId', {
    operationId: 'endOwnSession',
    summary: 'End one of your sessions: its next request is refused',
    params: Type.Object({
      sessionId: Type.String({
        description: '`sessionId` of the list of your sessions',
        examples: [ID_EXAMPLE],
      }),
    }),
    response: { 200: SignedOutResponse },
    errors: ['session_not_found'],
    handle: async ({ signedIn, params, actorNow }) => {
      const { sessionId } = params;
      const isEnded =
        SESSION_ID.test(sessionId) && (await endOwnSession(ctx.pool, signedIn, sessionId, actorNow()));
      if (!isEnded)
        throw new ApiError('session_not_found', {
          message: 'Your account has no such session. It may have ended already.',
        });
      return { sessionsEnded: 1 };
    },
  });

  routes.post('/admin/v1/account/sessions/end-others', {
    operationId: 'endOtherSessions',
    summary: 'End all your sessions except the current one',
    response: { 200: SignedOutResponse },
    handle: async ({ signedIn, actorNow }) => {
      const sessionsEnded = await endOtherSessions(ctx.pool, signedIn, signedIn.tokenHash, actorNow());
      return { sessionsEnded };
    },
  });
}
