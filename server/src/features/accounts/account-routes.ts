import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountErrors } from '../../admin/admin-errors.js';
import { personOf, requireAccount, signedInOf } from '../../admin/admin-guard.js';
import { adminSchema, success } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { changePassword } from './account-changes.js';
import type { AccountContext } from './account-context.js';
import { type AccountRow, findAccount } from './account-queries.js';
import {
  ConfirmedSecondFactorResponse,
  ConfirmSecondFactorBody,
  EndSecondFactorBody,
  PasswordBody,
  PasswordResponse,
  SecondFactorResponse,
  StartedSecondFactorResponse,
  StartSecondFactorBody,
} from './account-schemas.js';
import { hashed, requireCurrentPassword } from './credentials.js';
import { refuseWeakPassword } from './new-password.js';
import { confirmSecondFactor, endSecondFactor, startSecondFactor } from './second-factor.js';
import { OPEN_BODY_BYTES } from './sign-in-routes.js';

/** Of routes that require the current password. */
export const PASSWORD_ERRORS = [...BODY_ERRORS, 'password_wrong', 'sign_in_slowed', 'busy'] as const;

/** The routes of the own account: password and second factor. */
export function accountRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = withSchemaTypes(app);
  app.addHook('onRequest', requireAccount(ctx));
  const common = adminSchema('Account');
  const bodyLimit = OPEN_BODY_BYTES;

  routes.put(
    '/admin/v1/account/password',
    {
      bodyLimit,
      schema: {
        ...common,
        operationId: 'changePassword',
        summary: 'Set a new password; all other sessions of the account end',
        body: PasswordBody,
        response: { 200: PasswordResponse, ...accountErrors([...PASSWORD_ERRORS, 'password_weak']) },
      },
    },
    async (request) => {
      const { currentPassword, newPassword } = request.body;
      const account = await ownAccount(ctx, request);
      await refuseWeakPassword(newPassword, account.email);
      await requireCurrentPassword(ctx, account, sessionKey(request), currentPassword);
      const lane = { name: 'known', keys: [account.accountId] } as const;
      const passwordHash = hashed(await ctx.passwords.hash(newPassword, lane));
      const { tokenHash } = signedInOf(request);
      const actor = personOf(ctx, request);
      return success({
        sessionsEnded: await changePassword(ctx.pool, account, passwordHash, tokenHash, actor),
      });
    },
  );

  routes.post(
    '/admin/v1/account/second-factor',
    {
      bodyLimit,
      schema: {
        ...common,
        operationId: 'startSecondFactor',
        summary: 'Make a secret for an authenticator app',
        description:
          'A second factor that is in force stays in force until a code of the new secret is confirmed.',
        body: StartSecondFactorBody,
        response: { 200: StartedSecondFactorResponse, ...accountErrors(PASSWORD_ERRORS) },
      },
    },
    async (request) => {
      const account = await ownAccount(ctx, request);
      await requireCurrentPassword(ctx, account, sessionKey(request), request.body.currentPassword);
      return success(await startSecondFactor(ctx.pool, ctx.masterKeys, account));
    },
  );

  routes.put(
    '/admin/v1/account/second-factor',
    {
      bodyLimit,
      schema: {
        ...common,
        operationId: 'confirmSecondFactor',
        summary: 'Turn the second factor on, with a code of the new secret',
        body: ConfirmSecondFactorBody,
        response: {
          200: ConfirmedSecondFactorResponse,
          ...accountErrors([...BODY_ERRORS, 'second_factor_code_wrong', 'sign_in_slowed']),
        },
      },
    },
    async (request) => {
      const account = await ownAccount(ctx, request);
      const guess = ctx.guesses.tryCode(account.accountId);
      const actor = personOf(ctx, request);
      const { code } = request.body;
      const recoveryCodes = await confirmSecondFactor(ctx.pool, ctx.masterKeys, account, code, actor);
      if (recoveryCodes === undefined) throw new ApiError('second_factor_code_wrong');
      guess.succeed();
      return success({ hasSecondFactor: true, recoveryCodes });
    },
  );

  routes.delete(
    '/admin/v1/account/second-factor',
    {
      bodyLimit,
      schema: {
        ...common,
        operationId: 'endSecondFactor',
        summary: 'Turn the second factor off',
        body: EndSecondFactorBody,
        response: { 200: SecondFactorResponse, ...accountErrors(PASSWORD_ERRORS) },
      },
    },
    async (request) => {
      const account = await ownAccount(ctx, request);
      await requireCurrentPassword(ctx, account, sessionKey(request), request.body.currentPassword);
      await endSecondFactor(ctx.pool, account, personOf(ctx, request));
      return success({ hasSecondFactor: false });
    },
  );
}

export async function ownAccount(ctx: AccountContext, request: FastifyRequest): Promise<AccountRow> {
  const account = await findAccount(ctx.pool, signedInOf(request).accountId);
  if (account === undefined) throw new ApiError('session_ended');
  return account;
}

/** The key by which wrong passwords are counted: those of one session do not slow down other sessions. */
export function sessionKey(request: FastifyRequest): string {
  return signedInOf(request).tokenHash.toString('base64url');
}
