import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { newSecretToken } from '../../platform/lib/secret-token.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import { insertAdminSession, type NewSession, type SessionOrigin } from '../admin-api/admin-sessions.js';
import { requireStillOwner } from '../admin-api/owner-rights.js';
import type { Role } from '../admin-api/roles.js';
import { type AccountRow, emailKeyOf, insertAccount } from './account-queries.js';
import {
  deleteInvitation,
  deleteInvitationByToken,
  type InvitationRow,
  type OpenInvitation,
  upsertInvitation,
} from './invitation-queries.js';
import { insertMember, isMemberByEmail, lockStudio } from './member-queries.js';

export const INVITATION_DAYS = 7;

type Invited = Readonly<{ tenantId: number; email: string; role: Role }>;

/** Undefined if the address already belongs to a member. A former invitation of the address is replaced. */
export function invite(
  pool: Pool,
  { tenantId, email, role }: Invited,
  actor: Actor,
): Promise<{ invitation: InvitationRow; token: string } | undefined> {
  return transaction(pool, async (client) => {
    const emailKey = emailKeyOf(email);
    await lockStudio(client, tenantId);
    await requireStillOwner(client, tenantId, actor);
    if (await isMemberByEmail(client, tenantId, emailKey)) return undefined;
    const { token, tokenHash } = newSecretToken();
    const invitation = {
      invitationId: uuid7(actor.nowMs),
      email,
      role,
      invitedBy: actor.name,
      createdAt: actor.nowMs,
      expiresAt: actor.nowMs + INVITATION_DAYS * DAY_MS,
    };
    const by = { byAccount: actor.account?.accountId ?? null, byToken: actor.tokenId ?? null };
    await upsertInvitation(client, { ...invitation, ...by, tenantId, emailKey, tokenHash });
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'invitation.create',
      target: `invitation of ${email}`,
      before: null,
      after: { role, expiresAt: new Date(invitation.expiresAt) },
    });
    return { invitation, token };
  });
}

/** False if the studio has no such invitation. */
export function revokeInvitation(
  pool: Pool,
  { tenantId, invitationId }: { tenantId: number; invitationId: string },
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const deleted = await deleteInvitation(client, tenantId, invitationId);
    if (deleted === undefined) return false;
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'invitation.revoke',
      target: `invitation of ${deleted.email}`,
      before: { role: deleted.role },
      after: null,
    });
    return true;
  });
}

/** The person who accepts: an account whose password was checked, or a new account. */
export type Accepting = Readonly<
  { account: AccountRow } | { newAccount: { name: string; passwordHash: string } }
>;

export type Accepted = { account: AccountRow; session: NewSession };

/**
 * Turns an invitation into a member who is signed in. The invitation is deleted first: the second of two concurrent requests waits
 * for the first one, and then finds no invitation. An error rolls everything back, so the invitation stays.
 */
export function acceptInvitation(
  pool: Pool,
  invitation: OpenInvitation,
  token: string,
  accepting: Accepting,
  origin: SessionOrigin,
  nowMs: number,
): Promise<Accepted> {
  const { tenantId, email, role, invitedBy } = invitation;
  return transaction(pool, async (client) => {
    if (!(await deleteInvitationByToken(client, token))) throw new ApiError('link_invalid');
    const isNew = 'newAccount' in accepting;
    const account = isNew ? newAccountOf(email, accepting.newAccount, nowMs) : accepting.account;
    // The address has got an account meanwhile: its password is required.
    if (isNew && !(await insertAccount(client, { ...account, createdAt: nowMs })))
      throw new ApiError('sign_in_refused');
    const session = await insertAdminSession(client, account, origin, nowMs);
    if (session === undefined) throw new ApiError('sign_in_refused');
    const { accountId, name } = account;
    const isAdded = await insertMember(client, { tenantId, accountId, role, joinedAt: nowMs });
    const actor = { name, account: { accountId, email }, nowMs };
    if (isAdded) {
      await insertAuditEntry(client, actor, {
        tenantId,
        gameId: null,
        action: 'member.add',
        target: `member ${email}`,
        before: null,
        after: { name, role, invitedBy },
      });
    }
    return { account, session };
  });
}

function newAccountOf(
  email: string,
  { name, passwordHash }: { name: string; passwordHash: string },
  nowMs: number,
): AccountRow {
  return { accountId: uuid7(nowMs), email, name, passwordHash, secondFactor: null };
}
