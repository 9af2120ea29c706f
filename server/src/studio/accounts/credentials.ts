import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.js';
import { parseNetwork, parseNetworks, SITE_BITS } from '../../platform/lib/parse-network.js';
import type { HashOutcome, Lane } from '../../platform/security/passwords.js';
import type { AccountContext } from './account-context.js';
import { type AccountRow, emailKeyOf, findAccountByEmail, updateOutdatedHash } from './account-queries.js';
import { knownDevice } from './known-device.js';
import { useRecoveryCode } from './recovery-codes.js';
import { useSecondFactorCode } from './second-factor.js';

export type Credentials = Readonly<{ email: string; password: string; code?: string | undefined }>;

/** A code of the authenticator app. Any other code that the schema accepts is a recovery code. */
const APP_CODE = /^\d{6}$/;

/**
 * Finds the account of these credentials.
 *
 *   too soon? ──► 429 sign_in_slowed; nothing is looked up or hashed
 *   look-up ──► scrypt, also for an unknown address ──wrong──► 401 sign_in_refused, always the same response
 *                     │ right
 *                     ▼
 *   second factor? ──no code, or a wrong one──► 401 second_factor_needed
 */
export async function checkCredentials(
  ctx: AccountContext,
  request: FastifyRequest,
  credentials: Credentials,
): Promise<AccountRow> {
  const emailKey = emailKeyOf(credentials.email);
  const networks = parseNetworks(request.ip);
  const deviceId = knownDevice(ctx.masterKeys, request, emailKey, ctx.clock.now());
  const [network] = networks;
  const site = parseNetwork(request.ip, SITE_BITS);
  const guess = ctx.guesses.tryPassword({ emailKey, network, site, deviceId });
  try {
    const lane: Lane =
      deviceId === undefined ? { name: 'stranger', keys: networks } : { name: 'known', keys: [deviceId] };
    const account = await findByPassword(ctx, emailKey, credentials.password, lane);
    await requireSecondFactor(ctx, account, credentials.code);
    guess.succeed();
    ctx.metrics.signIns.inc({ outcome: 'ok' });
    return account;
  } catch (error) {
    const isWrong = error instanceof ApiError && error.code === 'sign_in_refused';
    if (isWrong) ctx.metrics.signIns.inc({ outcome: 'refused' });
    // The password was right, or was not checked because the database or the hash queue refused: neither is a wrong guess.
    else guess.takeBack();
    throw error;
  }
}

async function findByPassword(
  ctx: AccountContext,
  emailKey: string,
  password: string,
  lane: Lane,
): Promise<AccountRow> {
  const account = await findAccountByEmail(ctx.pool, emailKey);
  const stored = account?.passwordHash ?? null;
  const isRight = hashed(await ctx.passwords.verify(password, stored, lane));
  if (account === undefined || stored === null || !isRight) throw new ApiError('sign_in_refused');
  if (ctx.passwords.isOutdated(stored)) {
    const fresh = hashed(await ctx.passwords.hash(password, lane));
    await updateOutdatedHash(ctx.pool, account.accountId, stored, fresh);
    return { ...account, passwordHash: fresh };
  }
  return account;
}

async function requireSecondFactor(
  ctx: AccountContext,
  account: AccountRow,
  code: string | undefined,
): Promise<void> {
  const { accountId, secondFactor: sealed } = account;
  if (sealed === null) return;
  if (code === undefined) throw new ApiError('second_factor_needed');
  const guess = ctx.guesses.tryCode(accountId);
  const nowMs = ctx.clock.now();
  const isRight = APP_CODE.test(code)
    ? await useSecondFactorCode(ctx.pool, ctx.masterKeys, accountId, { sealed, code, nowMs })
    : await useRecoveryCode(ctx.pool, account, code, nowMs);
  if (!isRight) {
    throw new ApiError('second_factor_needed', {
      message: 'The code is wrong, or was used already. Wait for the next code, or use a recovery code.',
    });
  }
  guess.succeed();
}

/**
 * Requires the current password from a person who has signed in, so that a stranger at an unlocked computer cannot lock the owner
 * of the account out. Not required of an account without a password.
 */
export async function requireCurrentPassword(
  ctx: AccountContext,
  account: AccountRow,
  sessionKey: string,
  password: string | undefined,
): Promise<void> {
  if (account.passwordHash === null) return;
  const guess = ctx.guesses.tryPassword({
    emailKey: emailKeyOf(account.email),
    network: '',
    site: '',
    deviceId: sessionKey,
  });
  const lane: Lane = { name: 'known', keys: [account.accountId] };
  const isRight =
    password !== undefined && hashed(await ctx.passwords.verify(password, account.passwordHash, lane));
  if (!isRight) throw new ApiError('password_wrong');
  guess.succeed();
}

/** The result of hashing; throws `busy` if the hash queue was full. */
export function hashed<T>(outcome: HashOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new ApiError('busy', { headers: { 'retry-after': '2' } });
}
