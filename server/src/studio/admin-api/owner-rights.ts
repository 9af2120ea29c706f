import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import type { Client } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import type { Role } from './roles.js';

/**
 * Owners make invitations and admin tokens. This file decides what happens to them when the owner is removed or demoted.
 *
 *   an invitation is withdrawn when the owner or the admin token that made it loses the right to invite
 *   an admin token keeps working, because programs depend on it; the response to the removal lists such tokens
 */

/**
 * To be called in the transaction that makes an invitation or a token. The guard has checked the role, but a removal may have been
 * committed since, and would not withdraw what is made now. So the role is checked again, and its row is locked until the end.
 */
export async function requireStillOwner(client: Client, tenantId: number, actor: Actor): Promise<void> {
  const { account, tokenId } = actor;
  if (account !== undefined) {
    const { rowCount } = await client.query(
      "select from studio_members where tenant_id = $1 and account_id = $2 and role = 'owner' for share",
      [tenantId, account.accountId],
    );
    if (rowCount !== 1)
      throw new ApiError('role_too_low', { message: 'You are no longer an owner of this studio.' });
  }
  if (tokenId !== undefined) {
    const { rowCount } = await client.query(
      'select from admin_tokens where token_id = $1 and revoked_at is null for share',
      [tokenId],
    );
    if (rowCount !== 1) throw new ApiError('token_invalid');
  }
}

type Withdrawn = { email: string; role: Role };

/** Withdraws the open invitations of a member who is no longer an owner, with an audit entry each. Returns how many. */
export async function withdrawInvitationsOfMember(
  client: Client,
  tenantId: number,
  accountId: string,
  actor: Actor,
): Promise<number> {
  const { rows } = await client.query<Withdrawn>(
    'delete from invitations where tenant_id = $1 and invited_by_account = $2 returning email, role',
    [tenantId, accountId],
  );
  return withdrawn(client, tenantId, rows, actor);
}

/** The same for an admin token that is revoked. */
export async function withdrawInvitationsOfToken(
  client: Client,
  tenantId: number,
  tokenId: string,
  actor: Actor,
): Promise<number> {
  const { rows } = await client.query<Withdrawn>(
    'delete from invitations where tenant_id = $1 and invited_by_token = $2 returning email, role',
    [tenantId, tokenId],
  );
  return withdrawn(client, tenantId, rows, actor);
}

async function withdrawn(
  client: Client,
  tenantId: number,
  invitations: readonly Withdrawn[],
  actor: Actor,
): Promise<number> {
  for (const { email, role } of invitations) {
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'invitation.revoke',
      target: `invitation of ${email}`,
      before: { role },
      after: null,
    });
  }
  return invitations.length;
}

export type TokenOfMember = { tokenId: string; name: string; role: Role; expiresAt: number | null };

/** Enough to decide which tokens to revoke. The list of tokens shows all. */
const MAX_TOKENS = 100;

/** The admin tokens that a member has made and that still work. */
export async function listTokensOfMember(
  client: Client,
  tenantId: number,
  accountId: string,
  nowMs: number,
): Promise<TokenOfMember[]> {
  const { rows } = await client.query<TokenOfMember>(
    `select token_id as "tokenId", name, role, expires_at as "expiresAt" from admin_tokens
     where tenant_id = $1 and created_by_account = $2 and revoked_at is null
       and (expires_at is null or expires_at > $3)
     order by created_at, token_id
     limit $4`,
    [tenantId, accountId, new Date(nowMs), MAX_TOKENS],
  );
  return rows;
}
