import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../../platform/errors.js';
import { BODY_ERRORS } from '../../../platform/http/api-schemas.js';
import { type GoogleApi, readAccountKey } from '../../../platform/lib/google-play/google-api.js';
import { isoTime } from '../../../platform/lib/iso-time.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import {
  type AccountStatus,
  deleteAccount,
  findAccountStatus,
  openAccount,
  saveAccount,
} from './account-queries.js';
import { AccountBody, AccountResponse, TestedAccountResponse } from './account-schemas.js';
import { testAccount } from './test-account.js';

const PATH = '/admin/v1/games/:game/stores/google-account';

/** The service account by which a game asks Google about purchases. */
export function googleAccountRoutes(
  app: FastifyInstance,
  ctx: AdminContext & Readonly<{ google: GoogleApi }>,
): void {
  const routes = routesOfGame(app, ctx, 'Studio');
  const { pool, masterKeys, google } = ctx;

  const statusOf = async (gameId: number) => toResponse(await findAccountStatus(pool, gameId));

  routes.get(PATH, {
    role: 'owner',
    operationId: 'getGoogleAccount',
    summary: 'The service account by which a game asks Google, without its key',
    response: { 200: AccountResponse },
    handle: ({ gameId }) => statusOf(gameId),
  });

  routes.put(PATH, {
    role: 'owner',
    operationId: 'saveGoogleAccount',
    summary: 'Set the service account by which a game asks Google',
    description:
      'From then on stored purchases of Google are looked up and acknowledged, and voided purchases are read daily.',
    body: AccountBody,
    response: { 200: AccountResponse },
    errors: BODY_ERRORS,
    handle: async ({ gameId, body, actorNow }) => {
      const { email, privateKey } = body;
      if (readAccountKey(privateKey) === undefined)
        throw new ApiError('body_invalid', { message: 'privateKey is no RSA key in PEM.' });
      await saveAccount(pool, masterKeys, { gameId, email, privateKey }, actorNow());
      return statusOf(gameId);
    },
  });

  routes.delete(PATH, {
    role: 'owner',
    operationId: 'deleteGoogleAccount',
    summary: 'Remove the service account; purchases that wait for Google are not asked about any more',
    response: { 200: AccountResponse },
    handle: async ({ gameId, actorNow }) => {
      await deleteAccount(pool, gameId, actorNow());
      return null;
    },
  });

  routes.post(`${PATH}/test`, {
    role: 'owner',
    operationId: 'testGoogleAccount',
    summary: 'Ask Google whether it accepts the service account; nothing is stored',
    response: { 200: TestedAccountResponse },
    handle: async ({ gameId }) =>
      testAccount(google, await openAccount(pool, masterKeys, gameId), ctx.clock.now()),
  });
}

function toResponse(status: AccountStatus | undefined) {
  if (status === undefined) return null;
  const { setAt, voidedUntil } = status;
  return {
    ...status,
    setAt: isoTime(setAt),
    voidedUntil: voidedUntil === null ? null : isoTime(voidedUntil),
  };
}
