import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../../admin/admin-context.js';
import { gameErrors } from '../../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../../admin/admin-guard.js';
import { adminSchema, GameParameters, success } from '../../../admin/admin-responses.js';
import { ApiError } from '../../../errors.js';
import { BODY_ERRORS } from '../../../http/api-schemas.js';
import { withSchemaTypes } from '../../../http/validation.js';
import { readAccountKey } from '../../../lib/google-play/google-api.js';
import { isoTime } from '../../../lib/iso-time.js';
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
export function googleAccountRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const common = adminSchema('Studio');
  const routes = withSchemaTypes(app);
  const { pool, masterKeys, google } = ctx;

  const statusOf = async (gameId: number) => toResponse(await findAccountStatus(pool, gameId));

  routes.get(
    PATH,
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'getGoogleAccount',
        summary: 'The service account by which a game asks Google, without its key',
        params: GameParameters,
        response: { 200: AccountResponse, ...gameErrors() },
      },
    },
    async (request) => success(await statusOf((await gameOf(ctx, request)).gameId)),
  );

  routes.put(
    PATH,
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'saveGoogleAccount',
        summary: 'Set the service account by which a game asks Google',
        description:
          'From then on stored purchases of Google are looked up and acknowledged, and voided purchases are read daily.',
        params: GameParameters,
        body: AccountBody,
        response: { 200: AccountResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { email, privateKey } = request.body;
      if (readAccountKey(privateKey) === undefined)
        throw new ApiError('body_invalid', { message: 'privateKey is no RSA key in PEM.' });
      await saveAccount(pool, masterKeys, { gameId, email, privateKey }, actorOf(ctx, request));
      return success(await statusOf(gameId));
    },
  );

  routes.delete(
    PATH,
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'deleteGoogleAccount',
        summary: 'Remove the service account; purchases that wait for Google are not asked about any more',
        params: GameParameters,
        response: { 200: AccountResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      await deleteAccount(pool, gameId, actorOf(ctx, request));
      return success(null);
    },
  );

  routes.post(
    `${PATH}/test`,
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'testGoogleAccount',
        summary: 'Ask Google whether it accepts the service account; nothing is stored',
        params: GameParameters,
        response: { 200: TestedAccountResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      return success(await testAccount(google, await openAccount(pool, masterKeys, gameId), ctx.clock.now()));
    },
  );
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
