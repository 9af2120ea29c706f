import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import { deleteSessionsOfAccount, isSessionOpen } from '../admin-api/admin-sessions.js';
import type { Role } from '../admin-api/roles.js';
import { insertAccountEntries } from './account-audit.js';
import {
  type AccountRow,
  emailKeyOf,
  findAccountByEmail,
  insertAccount,
  updateAccountReset,
  updatePasswordHash,
} from './account-queries.js';
import { insertMember } from './member-queries.js';
import { deleteRecoveryCodes } from './recovery-code-queries.js';
import { deleteSignInLinks, replaceSignInLink } from './sign-in-links.js';

export type NewMember = Readonly<{
  email: string;
  name: string;
  role: Role;
  tenantId: number;
  /** When the sign-in link expires. Only an account without a password gets one. */
  linkExpiresAt: number;
  /** Refuses an account that has a password: it may have been set by a person who does not own the address. */
  isNewOnly?: boolean;
}>;

export type AddedMember =
  | { outcome: 'already_member' }
  | { outcome: 'account_exists' }
  /** No token: the account has a password, and signs in as before. */
  | { outcome: 'added'; isNew: boolean; token: string | null };

/** Adds a member to a studio. An account without a password gets a sign-in link. */
export function addMember(pool: Pool, member: NewMember, actor: Actor): Promise<AddedMember> {
  const { email, name, role, tenantId, linkExpiresAt } = member;
  return transaction(pool, async (client) => {
    const account = {
      accountId: uuid7(actor.nowMs),
      email,
      name,
      passwordHash: null,
      createdAt: actor.nowMs,
    };
    const isNew = await insertAccount(client, account);
    const found = isNew ? account : await findAccountByEmail(client, emailKeyOf(email));
    if (found === undefined) throw new Error('an account has disappeared');
    const { accountId, passwordHash } = found;
    if (member.isNewOnly === true && passwordHash !== null) return { outcome: 'account_exists' };
    if (!(await insertMember(client, { tenantId, accountId, role, joinedAt: actor.nowMs })))
      return { outcome: 'already_member' };
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'member.add',
      target: `member ${found.email}`,
      before: null,
      after: { name: found.name, role },
    });
    const token = passwordHash === null ? await replaceSignInLink(client, accountId, linkExpiresAt) : null;
    return { outcome: 'added', isNew, token };
  });
}

/**
 * Deletes the password and the second factor with its recovery codes, ends all sessions, and returns a sign-in link. Undefined if no account has the
 * address.
 */
export function resetAccount(
  pool: Pool,
  email: string,
  linkExpiresAt: number,
  actor: Actor,
): Promise<{ account: AccountRow; token: string; sessionsEnded: number } | undefined> {
  return transaction(pool, async (client) => {
    const account = await findAccountByEmail(client, emailKeyOf(email));
    if (account === undefined) return undefined;
    const { accountId } = account;
    // The links first: a sign-in by link also locks the link before it reads the account.
    await deleteSignInLinks(client, accountId);
    await updateAccountReset(client, accountId);
    await deleteRecoveryCodes(client, accountId);
    const sessionsEnded = await deleteSessionsOfAccount(client, accountId);
    const token = await replaceSignInLink(client, accountId, linkExpiresAt);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.reset',
      target: `account ${account.email}`,
      before: { hasPassword: account.passwordHash !== null, hasSecondFactor: account.secondFactor !== null },
      after: { hasPassword: false, hasSecondFactor: false },
    });
    return { account, token, sessionsEnded };
  });
}

/** Creates a sign-in link for an existing account. Its former links end. */
export function createSignInLink(
  pool: Pool,
  { accountId, email }: Pick<AccountRow, 'accountId' | 'email'>,
  expiresAt: number,
  actor: Actor,
): Promise<string> {
  return transaction(pool, async (client) => {
    const token = await replaceSignInLink(client, accountId, expiresAt);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.link',
      target: `account ${email}`,
      before: null,
      after: { expiresAt: new Date(expiresAt) },
    });
    return token;
  });
}

/** Ends all sessions and sign-in links of the account, and returns how many sessions ended. */
export function signOutEverywhere(
  pool: Pool,
  { accountId, email }: Pick<AccountRow, 'accountId' | 'email'>,
  actor: Actor,
): Promise<number> {
  return transaction(pool, async (client) => {
    await deleteSignInLinks(client, accountId);
    const sessionsEnded = await deleteSessionsOfAccount(client, accountId);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.sign_out',
      target: `account ${email}`,
      before: null,
      after: { sessionsEnded },
    });
    return sessionsEnded;
  });
}

/**
 * Sets the password, ends all other sessions of the account, and returns how many ended. Refused if the password has changed, or the
 * session has ended, since both were checked: hashing takes a while, and must not undo a reset that was made meanwhile.
 */
export function changePassword(
  pool: Pool,
  { accountId, email, passwordHash: former }: AccountRow,
  passwordHash: string,
  keptSession: Buffer,
  actor: Actor,
): Promise<number> {
  return transaction(pool, async (client) => {
    await deleteSignInLinks(client, accountId);
    if (!(await updatePasswordHash(client, accountId, former, passwordHash)))
      throw new ApiError('password_wrong');
    if (!(await isSessionOpen(client, keptSession))) throw new ApiError('session_ended');
    const sessionsEnded = await deleteSessionsOfAccount(client, accountId, keptSession);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.password',
      target: `account ${email}`,
      before: { hasPassword: former !== null },
      after: { hasPassword: true, sessionsEnded },
    });
    return sessionsEnded;
  });
}
