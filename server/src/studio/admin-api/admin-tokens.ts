import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import type { Page } from '../../platform/admin-api/keyset-page.js';
import { type Client, type Pool, query, transaction } from '../../platform/db/pool.js';
import { hashOfToken } from '../../platform/lib/secret-token.js';
import { requireStillOwner, withdrawInvitationsOfToken } from './owner-rights.js';
import type { Role } from './roles.js';

/** The sender of a request, in one studio: an admin token, or a person who has signed in. One of the two ids is null. */
export type Admin = Readonly<{
  tokenId: string | null;
  accountId: string | null;
  name: string;
  role: Role;
  tenantId: number;
  /** The public id of the studio. */
  tenant: string;
  expiresAt: number | null;
}>;

type TokenRow = Omit<Admin, 'accountId'> & { tokenHash: Buffer; revokedAt: number | null };

/** `sp_admin_` lets scanners for leaked secrets recognise a token; the id says which token to revoke. */
const TOKEN = /^sp_admin_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;
/** Compared with if the token is unknown, so that the time of the response does not show whether a token exists. */
const NO_HASH = Buffer.alloc(32);

/** The admin of a token. Undefined if the token is unknown, revoked or expired. */
export async function findAdmin(pool: Pool, token: string, nowMs: number): Promise<Admin | undefined> {
  const [, tokenId] = TOKEN.exec(token) ?? [];
  if (tokenId === undefined) return undefined;
  const row = await findToken(pool, tokenId);
  const isOurs = timingSafeEqual(row?.tokenHash ?? NO_HASH, hashOfToken(token));
  if (row === undefined || !isOurs || row.revokedAt !== null) return undefined;
  const { tokenHash: _hash, revokedAt: _revoked, ...admin } = row;
  return admin.expiresAt !== null && admin.expiresAt <= nowMs ? undefined : { ...admin, accountId: null };
}

async function findToken(pool: Pool, tokenId: string): Promise<TokenRow | undefined> {
  const rows = await query<TokenRow>(
    pool,
    {
      name: 'find_admin_token',
      text: `select a.token_id as "tokenId", a.name, a.role, a.tenant_id as "tenantId", t.slug as tenant,
               a.token_hash as "tokenHash", a.expires_at as "expiresAt", a.revoked_at as "revokedAt"
             from admin_tokens a join tenants t on t.id = a.tenant_id
             where a.token_id = $1`,
    },
    [tokenId],
  );
  return rows[0];
}

export type NewAdminToken = Readonly<{
  tenantId: number;
  name: string;
  role: Role;
  expiresAt: number | null;
}>;

/** Creates a token and returns its text, which is not stored. */
export async function createAdminToken(
  pool: Pool,
  { tenantId, name, role, expiresAt }: NewAdminToken,
  actor: Actor,
): Promise<{ tokenId: string; token: string }> {
  const tokenId = randomBytes(8).toString('hex');
  const token = `sp_admin_${tokenId}_${randomBytes(32).toString('base64url')}`;
  await transaction(pool, async (client) => {
    await requireStillOwner(client, tenantId, actor);
    await client.query(
      `insert into admin_tokens (token_id, tenant_id, name, role, token_hash, created_at, expires_at, created_by_account)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ...[tokenId, tenantId, name, role, hashOfToken(token), new Date(actor.nowMs), toDate(expiresAt)],
        actor.account?.accountId ?? null,
      ],
    );
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'admin_token.create',
      target: `admin token ${tokenId}`,
      before: null,
      after: { name, role, expiresAt: toDate(expiresAt) },
    });
  });
  return { tokenId, token };
}

/**
 * False if there is no such token that is not revoked yet, in the studio `ofTenant` if it is given. The invitations that were made
 * with the token are withdrawn.
 */
export async function revokeAdminToken(
  pool: Pool,
  tokenId: string,
  actor: Actor,
  ofTenant: number | null = null,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const revoked = await updateRevoked(client, tokenId, ofTenant, actor.nowMs);
    if (revoked === undefined) return false;
    const { tenantId, name, role } = revoked;
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId: null,
      action: 'admin_token.revoke',
      target: `admin token ${tokenId}`,
      before: { name, role },
      after: null,
    });
    await withdrawInvitationsOfToken(client, tenantId, tokenId, actor);
    return true;
  });
}

async function updateRevoked(
  client: Client,
  tokenId: string,
  ofTenant: number | null,
  nowMs: number,
): Promise<{ tenantId: number; name: string; role: Role } | undefined> {
  const { rows } = await client.query<{ tenantId: number; name: string; role: Role }>(
    `update admin_tokens set revoked_at = $3
     where token_id = $1 and ($2::int is null or tenant_id = $2) and revoked_at is null
     returning tenant_id as "tenantId", name, role`,
    [tokenId, ofTenant, new Date(nowMs)],
  );
  return rows[0];
}

export type ListedToken = {
  tokenId: string;
  tenant: string;
  name: string;
  role: Role;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
};

export async function listAdminTokens(pool: Pool, tenant?: string): Promise<ListedToken[]> {
  const { rows } = await pool.query<ListedToken>(
    `select a.token_id as "tokenId", t.slug as tenant, a.name, a.role, a.created_at as "createdAt",
       a.expires_at as "expiresAt", a.revoked_at as "revokedAt"
     from admin_tokens a join tenants t on t.id = a.tenant_id
     where $1::text is null or t.slug = $1
     order by t.slug, a.created_at, a.token_id`,
    [tenant ?? null],
  );
  return rows;
}

/** A page of the tokens of a studio, and one row more if there is a next page. */
export async function listAdminTokensOfTenant(
  pool: Pool,
  tenantId: number,
  { after, limit }: Page,
): Promise<Omit<ListedToken, 'tenant'>[]> {
  return query(
    pool,
    {
      name: 'list_admin_tokens_of_tenant',
      text: `select token_id as "tokenId", name, role, created_at as "createdAt", expires_at as "expiresAt",
               revoked_at as "revokedAt"
             from admin_tokens
             where tenant_id between $1 and $1 and token_id > $2
             order by tenant_id, token_id
             limit $3`,
    },
    [tenantId, after ?? '', limit + 1],
  );
}

function toDate(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
