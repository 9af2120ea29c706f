import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { routesOfAccount } from '../admin-api/admin-routes.js';
import type { SignedIn } from '../admin-api/admin-sessions.js';
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
  const routes = routesOfAccount(app, ctx, 'Account');
  const options = { bodyLimit: OPEN_BODY_BYTES };

  routes.put('/admin/v1/account/password', {
    operationId: 'changePassword',
    summary: 'Set a new password; all other sessions of the account end',
    options,
    body: PasswordBody,
    response: { 200: PasswordResponse },
    errors: [...PASSWORD_ERRORS, 'password_weak'],
    handle: async ({ signedIn, body, actorNow }) => {
      const { currentPassword, newPassword } = body;
      const account = await ownAccount(ctx, signedIn);
      await refuseWeakPassword(newPassword, account.email);
      await requireCurrentPassword(ctx, account, sessionKey(signedIn), currentPassword);
      const lane = { name: 'known', keys: [account.accountId] } as const;
      const passwordHash = hashed(await ctx.passwords.hash(newPassword, lane));
      const actor = actorNow();
      return {
        sessionsEnded: await changePassword(ctx.pool, account, passwordHash, signedIn.tokenHash, actor),
      };
    },
  });

  routes.post('/admin/v1/account/second-factor', {
    operationId: 'startSecondFactor',
    summary: 'Make a secret for an authenticator app',
    description:
      'A second factor that is in force stays in force until a code of the new secret is confirmed.',
    options,
    body: StartSecondFactorBody,
    response: { 200: StartedSecondFactorResponse },
    errors: PASSWORD_ERRORS,
    handle: async ({ signedIn, body }) => {
      const account = await ownAccount(ctx, signedIn);
      await requireCurrentPassword(ctx, account, sessionKey(signedIn), body.currentPassword);
      return startSecondFactor(ctx.pool, ctx.masterKeys, account);
    },
  });

  routes.put('/admin/v1/account/second-factor', {
    operationId: 'confirmSecondFactor',
    summary: 'Turn the second factor on, with a code of the new secret',
    options,
    body: ConfirmSecondFactorBody,
    response: { 200: ConfirmedSecondFactorResponse },
    errors: [...BODY_ERRORS, 'second_factor_code_wrong', 'sign_in_slowed'],
    handle: async ({ signedIn, body, actorNow }) => {
      const account = await ownAccount(ctx, signedIn);
      const guess = ctx.guesses.tryCode(account.accountId);
      const actor = actorNow();
      const { code } = body;
      const recoveryCodes = await confirmSecondFactor(ctx.pool, ctx.masterKeys, account, code, actor);
      if (recoveryCodes === undefined) throw new ApiError('second_factor_code_wrong');
      guess.succeed();
      return { hasSecondFactor: true, recoveryCodes };
    },
  });

  routes.delete('/admin/v1/account/second-factor', {
    operationId: 'endSecondFactor',
    summary: 'Turn the second factor off',
    options,
    body: EndSecondFactorBody,
    response: { 200: SecondFactorResponse },
    errors: PASSWORD_ERRORS,
    handle: async ({ signedIn, body, actorNow }) => {
      const account = await ownAccount(ctx, signedIn);
      await requireCurrentPassword(ctx, account, sessionKey(signedIn), body.currentPassword);
      await endSecondFactor(ctx.pool, account, actorNow());
      return { hasSecondFactor: false };
    },
  });
}

export async function ownAccount(ctx: AccountContext, { accountId }: SignedIn): Promise<AccountRow> {
  const account = await findAccount(ctx.pool, accountId);
  if (account === undefined) throw new ApiError('session_ended');
  return account;
}

/** The key by which wrong passwords are counted: those of one session do not slow down other sessions. */
export function sessionKey({ tokenHash }: SignedIn): string {
  return tokenHash.toString('base64url');
}
