import type { FastifyInstance } from 'fastify';
import { accountErrors } from '../../admin/admin-errors.js';
import { personOf, requireAccount, signedInOf } from '../../admin/admin-guard.js';
import { adminSchema, success } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { withSchemaTypes } from '../../http/validation.js';
import type { AccountContext } from './account-context.js';
import { ownAccount, PASSWORD_ERRORS, sessionKey } from './account-routes.js';
import { NewRecoveryCodesBody, RecoveryCodesLeftResponse, RecoveryCodesResponse } from './account-schemas.js';
import { requireCurrentPassword } from './credentials.js';
import { countRecoveryCodes } from './recovery-code-queries.js';
import { renewRecoveryCodes } from './recovery-codes.js';
import { OPEN_BODY_BYTES } from './sign-in-routes.js';

/** The recovery codes of the own account: how many are left, and new ones. */
export function recoveryCodeRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = withSchemaTypes(app);
  app.addHook('onRequest', requireAccount(ctx));
  const common = adminSchema('Account');

  routes.get(
    '/admin/v1/account/recovery-codes',
    {
      schema: {
        ...common,
        operationId: 'countRecoveryCodes',
        summary: 'How many recovery codes are left',
        response: { 200: RecoveryCodesLeftResponse, ...accountErrors() },
      },
    },
    async (request) => success({ left: await countRecoveryCodes(ctx.pool, signedInOf(request).accountId) }),
  );

  routes.post(
    '/admin/v1/account/recovery-codes',
    {
      bodyLimit: OPEN_BODY_BYTES,
      schema: {
        ...common,
        operationId: 'renewRecoveryCodes',
        summary: 'Make new recovery codes; the former ones end',
        body: NewRecoveryCodesBody,
        response: {
          200: RecoveryCodesResponse,
          ...accountErrors([...PASSWORD_ERRORS, 'second_factor_off']),
        },
      },
    },
    async (request) => {
      const account = await ownAccount(ctx, request);
      await requireCurrentPassword(ctx, account, sessionKey(request), request.body.currentPassword);
      const recoveryCodes = await renewRecoveryCodes(ctx.pool, account, personOf(ctx, request));
      if (recoveryCodes === undefined) throw new ApiError('second_factor_off');
      return success({ recoveryCodes });
    },
  );
}
