import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/errors.js';
import { routesOfAccount } from '../admin-api/admin-routes.js';
import type { AccountContext } from './account-context.js';
import { ownAccount, PASSWORD_ERRORS, sessionKey } from './account-routes.js';
import { NewRecoveryCodesBody, RecoveryCodesLeftResponse, RecoveryCodesResponse } from './account-schemas.js';
import { requireCurrentPassword } from './credentials.js';
import { countRecoveryCodes } from './recovery-code-queries.js';
import { renewRecoveryCodes } from './recovery-codes.js';
import { OPEN_BODY_BYTES } from './sign-in-routes.js';

/** The recovery codes of the own account: how many are left, and new ones. */
export function recoveryCodeRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = routesOfAccount(app, ctx, 'Account');

  routes.get('/admin/v1/account/recovery-codes', {
    operationId: 'countRecoveryCodes',
    summary: 'How many recovery codes are left',
    response: { 200: RecoveryCodesLeftResponse },
    handle: async ({ signedIn }) => ({ left: await countRecoveryCodes(ctx.pool, signedIn.accountId) }),
  });

  routes.post('/admin/v1/account/recovery-codes', {
    operationId: 'renewRecoveryCodes',
    summary: 'Make new recovery codes; the former ones end',
    options: { bodyLimit: OPEN_BODY_BYTES },
    body: NewRecoveryCodesBody,
    response: { 200: RecoveryCodesResponse },
    errors: [...PASSWORD_ERRORS, 'second_factor_off'],
    handle: async ({ signedIn, body, actorNow }) => {
      const account = await ownAccount(ctx, signedIn);
      await requireCurrentPassword(ctx, account, sessionKey(signedIn), body.currentPassword);
      const recoveryCodes = await renewRecoveryCodes(ctx.pool, account, actorNow());
      if (recoveryCodes === undefined) throw new ApiError('second_factor_off');
      return { recoveryCodes };
    },
  });
}
