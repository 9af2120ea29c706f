import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { accountErrors } from '../../admin/admin-errors.js';
import { personOf, requireAccount, signedInOf } from '../../admin/admin-guard.js';
import { adminSchema, nullable, success, Time, toTime } from '../../admin/admin-responses.js';
import { cutPage, listResponse, pageParameters, timeCursorOf } from '../../admin/page-cursor.js';
import { ApiError } from '../../errors.js';
import { withSchemaTypes } from '../../http/validation.js';
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
  app.addHook('onRequest', requireAccount(ctx));
  const common = adminSchema('Account');
  const routes = withSchemaTypes(app);

  routes.get(
    '/admin/v1/account/sessions',
    {
      schema: {
        ...common,
        operationId: 'listOwnSessions',
        summary: 'The sessions of your account',
        querystring: Type.Object(pageParameters(LIMITS)),
        response: { 200: OwnSessionsResponse, ...accountErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const { accountId, tokenHash } = signedInOf(request);
      const { cursor, limit = LIMITS.fallback } = request.query;
      const after = timeCursorOf(LIST, cursor, SESSION_ID);
      const found = await listOwnSessions(ctx.pool, accountId, { after, limit }, ctx.clock.now());
      const keyOf = ({ createdAt, sessionId }: OwnSession) => [createdAt, sessionId];
      const { page, nextCursor } = cutPage(LIST, found, limit, keyOf);
      const current = sessionIdOf(tokenHash);
      return success({
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
      });
    },
  );

  routes.delete(
    '/admin/v1/account/sessions/:sessionId',
    {
      schema: {
        ...common,
        operationId: 'endOwnSession',
        summary: 'End one of your sessions: its next request is refused',
        params: Type.Object({ sessionId: Type.String({ examples: [ID_EXAMPLE] }) }),
        response: { 200: SignedOutResponse, ...accountErrors(['session_not_found']) },
      },
    },
    async (request) => {
      const { sessionId } = request.params;
      const isEnded =
        SESSION_ID.test(sessionId) &&
        (await endOwnSession(ctx.pool, signedInOf(request), sessionId, personOf(ctx, request)));
      if (!isEnded)
        throw new ApiError('session_not_found', {
          message: 'Your account has no such session. It may have ended already.',
        });
      return success({ sessionsEnded: 1 });
    },
  );

  routes.post(
    '/admin/v1/account/sessions/end-others',
    {
      schema: {
        ...common,
        operationId: 'endOtherSessions',
        summary: 'End all your sessions except the current one',
        response: { 200: SignedOutResponse, ...accountErrors() },
      },
    },
    async (request) => {
      const signedIn = signedInOf(request);
      const sessionsEnded = await endOtherSessions(
        ctx.pool,
        signedIn,
        signedIn.tokenHash,
        personOf(ctx, request),
      );
      return success({ sessionsEnded });
    },
  );
}
