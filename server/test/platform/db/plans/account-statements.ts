import type { Pool } from '../../../../src/platform/db/pool.js';
import { hashOfToken } from '../../../../src/platform/lib/secret-token.js';
import { codeAt, stepAt } from '../../../../src/platform/lib/totp.js';
import { generateMasterKey, parseMasterKeys, seal } from '../../../../src/platform/security/master-keys.js';
import {
  addMember,
  changePassword,
  createSignInLink,
  resetAccount,
  signOutEverywhere,
} from '../../../../src/studio/accounts/account-changes.js';
import { deleteExpiredAccess } from '../../../../src/studio/accounts/account-expiry.js';
import {
  type AccountRow,
  findAccountByEmail,
  updateOutdatedHash,
} from '../../../../src/studio/accounts/account-queries.js';
import { findInvitation } from '../../../../src/studio/accounts/invitation-queries.js';
import { acceptInvitation, invite, revokeInvitation } from '../../../../src/studio/accounts/invitations.js';
import { listAccounts } from '../../../../src/studio/accounts/member-queries.js';
import { changeRole, removeMember } from '../../../../src/studio/accounts/members.js';
import {
  endOtherSessions,
  endOwnSession,
  sessionIdOf,
} from '../../../../src/studio/accounts/own-sessions.js';
import { renewRecoveryCodes, useRecoveryCode } from '../../../../src/studio/accounts/recovery-codes.js';
import {
  confirmSecondFactor,
  endSecondFactor,
  startSecondFactor,
  useSecondFactorCode,
} from '../../../../src/studio/accounts/second-factor.js';
import { secondFactorBinding } from '../../../../src/studio/accounts/second-factor-binding.js';
import { signInByLink } from '../../../../src/studio/accounts/sign-in-links.js';
import { deleteAdminSession, insertAdminSession } from '../../../../src/studio/admin-api/admin-sessions.js';
import {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
} from '../../../../src/studio/admin-api/admin-tokens.js';
import { WORLD } from './large-tables.js';
import type { Installation, Listed } from './listed-statement.js';

const { tenantId, tenant } = WORLD;
const DAY_MS = 86_400_000;
const NOWHERE = { network: null, browser: null };

const actorAt = ({ nowMs }: Installation) => ({ name: 'a test', nowMs });

/** Statements about people and admin tokens, without a name: PostgreSQL plans them for every call. */
export const ACCOUNT_STATEMENTS: readonly Listed[] = [
  {
    what: 'admin tokens',
    call: async (on) => {
      const token = { tenantId, name: '', role: 'owner', expiresAt: null } as const;
      const { accountId, email } = await accountOf(on.admin, 'a-3@b');
      const owner = { ...actorAt(on), account: { accountId, email } };
      const { tokenId } = await createAdminToken(on.admin, token, owner);
      await createAdminToken(on.admin, token, { ...actorAt(on), tokenId });
      await revokeAdminToken(on.admin, tokenId, actorAt(on));
    },
  },
  {
    what: 'the list of admin tokens',
    call: ({ admin }) => listAdminTokens(admin, tenant),
    reads: { tables: ['admin_tokens'], why: 'a command lists all tokens of a studio', atMost: 'all' },
  },
  {
    what: 'accounts, their sessions and links',
    call: async (on) => {
      const { admin, nowMs } = on;
      const actor = actorAt(on);
      const linkExpiresAt = nowMs + DAY_MS;
      const member = { email: 'a-1@b', name: 'N', role: 'owner', tenantId, linkExpiresAt } as const;
      const added = await addMember(admin, member, actor);
      if (added.outcome !== 'added' || added.token === null) throw new Error('there is such a member');
      await signInByLink(admin, added.token, NOWHERE, nowMs);
      const account = await accountOf(admin);
      const kept = await insertAdminSession(admin, account, NOWHERE, nowMs);
      await changePassword(admin, account, 'hash', hashOfToken(kept?.token ?? ''), actor);
      await updateOutdatedHash(admin, account.accountId, 'hash', 'another');
      await createSignInLink(admin, account, linkExpiresAt, actor);
      const session = await insertAdminSession(
        admin,
        { ...account, passwordHash: 'another' },
        NOWHERE,
        nowMs,
      );
      await deleteAdminSession(admin, hashOfToken(session?.token ?? ''));
      await endOwnSession(admin, account, sessionIdOf(hashOfToken('')), actor);
      await endOtherSessions(admin, account, hashOfToken(''), actor);
      await signOutEverywhere(admin, account, actor);
      await resetAccount(admin, 'a-1@b', linkExpiresAt, actor);
    },
  },
  {
    what: 'second factors',
    call: async (on) => {
      const { admin, nowMs } = on;
      const keys = masterKeys(generateMasterKey());
      const account = await accountOf(admin);
      const { accountId } = account;
      await startSecondFactor(admin, keys, account);
      const secret = Buffer.alloc(20);
      const sealed = seal(keys, secret, secondFactorBinding(accountId));
      await admin.query('update accounts set second_factor_pending = $2 where id = $1', [accountId, sealed]);
      const step = stepAt(nowMs);
      const codes = await confirmSecondFactor(admin, keys, account, codeAt(secret, step), actorAt(on));
      await useRecoveryCode(admin, account, codes?.[0] ?? '', nowMs);
      await renewRecoveryCodes(admin, account, actorAt(on));
      await useSecondFactorCode(admin, keys, accountId, { sealed, code: codeAt(secret, step + 1), nowMs });
      await endSecondFactor(admin, account, actorAt(on));
    },
  },
  {
    what: 'members and invitations',
    call: async (on) => {
      const { admin, nowMs } = on;
      const actor = actorAt(on);
      const { accountId } = await accountOf(admin);
      await changeRole(admin, { tenantId, accountId }, 'viewer', actor);
      await removeMember(admin, { tenantId, accountId }, actor);
      const invited = await invite(admin, { tenantId, email: 'invited@b', role: 'viewer' }, actor);
      const { token = '' } = invited ?? {};
      const invitation = await findInvitation(admin, token, nowMs);
      if (invitation === undefined) throw new Error('there is no invitation');
      const accepting = { account: await accountOf(admin, 'a-2@b') };
      await acceptInvitation(admin, invitation, token, accepting, NOWHERE, nowMs);
      await revokeInvitation(admin, { tenantId, invitationId: WORLD.userId }, actor);
    },
  },
  {
    what: 'the end of sessions, links and invitations',
    call: ({ admin, nowMs }) => deleteExpiredAccess(admin, nowMs),
  },
  {
    what: 'the list of accounts',
    call: async ({ admin }) => {
      await listAccounts(admin);
      await listAccounts(admin, tenant);
    },
    reads: { tables: ['accounts', 'studio_members'], why: 'a command lists all there are', atMost: 'all' },
  },
];

/** Of the fill, so that what refers to it can be written wherever the fill is. */
async function accountOf(pool: Pool, email = 'a-1@b'): Promise<AccountRow> {
  const account = await findAccountByEmail(pool, email);
  if (account === undefined) throw new Error(`there is no account ${email}`);
  return account;
}

function masterKeys(text: string) {
  const parsed = parseMasterKeys(text);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.keys;
}
