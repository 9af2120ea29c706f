import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { adminSchema, success } from '../../platform/admin-api/admin-responses.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { withSchemaTypes } from '../../platform/http/validation.js';
import { openErrors } from '../admin-api/admin-errors.js';
import { routesOfAccount } from '../admin-api/admin-routes.js';
import {
  deleteAdminSession,
  insertAdminSession,
  listStudiosOfAccount,
  type NewSession,
  SESSION_COOKIE,
  SESSION_MAX_MS,
  sessionOrigin,
} from '../admin-api/admin-sessions.js';
import { setCookie } from '../admin-api/cookies.js';
import { refuseCrossOrigin } from '../admin-api/same-origin.js';
import { accountResponse } from '../games-and-keys/me-schema.js';
import { signOutEverywhere } from './account-changes.js';
import type { AccountContext } from './account-context.js';
import { type AccountRow, emailKeyOf } from './account-queries.js';
import {
  SignedInResponse,
  SignedOutResponse,
  SignInBody,
  SignInLinkBody,
  SignOutBody,
} from './account-schemas.js';
import { checkCredentials } from './credentials.js';
import { rememberDevice } from './known-device.js';
import { signInByLink } from './sign-in-links.js';

/** For routes without a guard, which any client may call: larger bodies are not read. */
export const OPEN_BODY_BYTES = 8 * 1024;

/** For routes without a guard: a page of another origin must not sign a visitor in to an account of the attacker. */
export const refuseOtherOrigins = async (request: FastifyRequest): Promise<void> =>
  refuseCrossOrigin(request);

/** Signing in and out. */
export function signInRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = withSchemaTypes(app);
  const open = { ...adminSchema('Account'), security: [] };

  routes.post(
    '/admin/v1/sign-in',
    {
      onRequest: refuseOtherOrigins,
      bodyLimit: OPEN_BODY_BYTES,
      schema: {
        ...open,
        operationId: 'signIn',
        summary: 'Sign in with email and password',
        description:
          'Wrong guesses slow down further tries from the same network: 429 `sign_in_slowed` says how long to wait. A device that has signed in before is not affected.',
        body: SignInBody,
        response: {
          200: SignedInResponse,
          ...openErrors([
            ...BODY_ERRORS,
            'sign_in_refused',
            'second_factor_needed',
            'sign_in_slowed',
            'busy',
          ]),
        },
      },
    },
    async (request, reply) => {
      const account = await checkCredentials(ctx, request, request.body);
      const session = await insertAdminSession(ctx.pool, account, sessionOrigin(request), ctx.clock.now());
      if (session === undefined) throw new ApiError('sign_in_refused');
      return signedInResponse(ctx, request, reply, account, session);
    },
  );

  routes.post(
    '/admin/v1/sign-in/link',
    {
      onRequest: refuseOtherOrigins,
      bodyLimit: OPEN_BODY_BYTES,
      schema: {
        ...open,
        operationId: 'signInByLink',
        summary: 'Sign in with a one-time link',
        description:
          'A start in development prints such a link, and so do `savepoint admin create` and `savepoint admin reset`. A link works once.',
        body: SignInLinkBody,
        response: { 200: SignedInResponse, ...openErrors([...BODY_ERRORS, 'link_invalid']) },
      },
    },
    async (request, reply) => {
      const signedIn = await signInByLink(
        ctx.pool,
        request.body.token,
        sessionOrigin(request),
        ctx.clock.now(),
      );
      if (signedIn === undefined) throw new ApiError('link_invalid');
      return signedInResponse(ctx, request, reply, signedIn.account, signedIn.session);
    },
  );

  routesOfAccount(app, ctx, 'Account').post('/admin/v1/sign-out', {
    operationId: 'signOut',
    summary: 'Sign out here, or everywhere',
    options: { bodyLimit: OPEN_BODY_BYTES },
    body: SignOutBody,
    response: { 200: SignedOutResponse },
    errors: BODY_ERRORS,
    handle: async ({ signedIn, body, request, reply, actorNow }) => {
      const sessionsEnded =
        body?.everywhere === true
          ? await signOutEverywhere(ctx.pool, signedIn, actorNow())
          : await deleteAdminSession(ctx.pool, signedIn.tokenHash);
      setCookie(request, reply, SESSION_COOKIE, '', { path: '/', maxAgeSeconds: 0 });
      return { sessionsEnded };
    },
  });
}

/** The response to a sign-in by password, link or invitation. */
export async function signedInResponse(
  ctx: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { accountId, email, name, passwordHash, secondFactor }: AccountRow,
  { token, csrfToken }: NewSession,
) {
  setCookie(request, reply, SESSION_COOKIE, token, { path: '/', maxAgeSeconds: SESSION_MAX_MS / 1_000 });
  rememberDevice(ctx.masterKeys, request, reply, emailKeyOf(email), ctx.clock.now());
  return success({
    account: accountResponse({
      accountId,
      email,
      name,
      hasPassword: passwordHash !== null,
      hasSecondFactor: secondFactor !== null,
    }),
    studios: await listStudiosOfAccount(ctx.pool, accountId),
    csrfToken,
  });
}
