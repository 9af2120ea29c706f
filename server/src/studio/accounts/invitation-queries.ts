import type { Page } from '../../platform/admin-api/keyset-page.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { hashOfToken } from '../../platform/lib/secret-token.js';
import { NIL_UUID } from '../../platform/lib/uuid.js';
import type { Role } from '../admin-api/roles.js';

export type InvitationRow = {
  invitationId: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
};

export type NewInvitation = InvitationRow & {
  tenantId: number;
  emailKey: string;
  tokenHash: Buffer;
  /** The account or the admin token that made the invitation. The other one is null. */
  byAccount: string | null;
  byToken: string | null;
};

/** Replaces the former invitation of the address to the studio: only the newest link works. */
export async function upsertInvitation(client: Client, invitation: NewInvitation): Promise<void> {
  const { invitationId, tenantId, email, emailKey, role, tokenHash, invitedBy, byAccount, byToken } =
    invitation;
  await client.query(
    `insert into invitations (id, tenant_id, email, email_key, role, token_hash, invited_by, invited_by_account,
       invited_by_token, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (tenant_id, email_key) do update
     set id = excluded.id, email = excluded.email, role = excluded.role, token_hash = excluded.token_hash,
       invited_by = excluded.invited_by, invited_by_account = excluded.invited_by_account,
       invited_by_token = excluded.invited_by_token, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [
      invitationId,
      tenantId,
      email,
      emailKey,
      role,
      tokenHash,
      invitedBy,
      byAccount,
      byToken,
      new Date(invitation.createdAt),
      new Date(invitation.expiresAt),
    ],
  );
}

/** A page of the invitations that can still be accepted, and one row more if there is a next page. */
export async function listInvitations(
  pool: Pool,
  tenantId: number,
  { after, limit }: Page,
  nowMs: number,
): Promise<InvitationRow[]> {
  return query<InvitationRow>(
    pool,
    {
      name: 'list_invitations',
      text: `select id as "invitationId", email, role, invited_by as "invitedBy", created_at as "createdAt",
               expires_at as "expiresAt"
             from invitations
             where tenant_id between $1 and $1 and id > $2 and expires_at > $4
             order by tenant_id, id
             limit $3`,
    },
    [tenantId, after ?? NIL_UUID, limit + 1, new Date(nowMs)],
  );
}

export type OpenInvitation = InvitationRow & { tenantId: number; studio: string };

export async function findInvitation(
  db: Pool | Client,
  token: string,
  nowMs: number,
): Promise<OpenInvitation | undefined> {
  const rows = await query<OpenInvitation>(
    db,
    {
      name: 'find_invitation',
      text: `select i.id as "invitationId", i.tenant_id as "tenantId", t.name as studio, i.email, i.role,
               i.invited_by as "invitedBy", i.created_at as "createdAt", i.expires_at as "expiresAt"
             from invitations i join tenants t on t.id = i.tenant_id
             where i.token_hash = $1 and i.expires_at > $2`,
    },
    [hashOfToken(token), new Date(nowMs)],
  );
  return rows[0];
}

/** False if the invitation was accepted, revoked or replaced meanwhile. Of two concurrent requests one succeeds. */
export async function deleteInvitationByToken(client: Client, token: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from invitations where token_hash = $1', [
    hashOfToken(token),
  ]);
  return rowCount === 1;
}

export async function deleteInvitation(
  client: Client,
  tenantId: number,
  invitationId: string,
): Promise<{ email: string; role: Role } | undefined> {
  const { rows } = await client.query<{ email: string; role: Role }>(
    'delete from invitations where tenant_id = $1 and id = $2 returning email, role',
    [tenantId, invitationId],
  );
  return rows[0];
}
