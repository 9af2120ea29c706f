import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { DAY_MS, HOUR_MS } from '../../platform/lib/day.js';
import { parseNetworks } from '../../platform/lib/parse-network.js';
import { parseUserAgent } from '../../platform/lib/parse-user-agent.js';
import { hashOfToken, newSecretToken } from '../../platform/lib/secret-token.js';
import type { Role } from './roles.js';

/**
 * Sessions of people who have signed in. The cookie holds 256 random bits, and the database holds the hash of them. A session ends
 * when it was not used for SESSION_IDLE_MS, and SESSION_MAX_MS after it began.
 */
export const SESSION_COOKIE = 'savepoint_session';
export const SESSION_MAX_MS = 30 * DAY_MS;
const SESSION_IDLE_MS = 7 * DAY_MS;
/** A request updates the time of last use only if it is older than this. */
const SEEN_EVERY_MS = HOUR_MS;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A person who has signed in, of whichever studios. */
export type SignedIn = Readonly<{
  accountId: string;
  email: string;
  name: string;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  tokenHash: Buffer;
  csrfToken: string;
  expiresAt: number;
}>;

/** The role of the person in the studio of the request. */
export type Membership = Readonly<{ tenantId: number; tenant: string; role: Role }>;

type SessionRow = Omit<SignedIn, 'tokenHash' | 'csrfToken'> & {
  createdAt: number;
  seenAt: number;
  tenantId: number | null;
  tenant: string | null;
  role: Role | null;
};

/** Derived from the cookie, which no page can read: a client can only have the token from a response of this service. */
function csrfTokenOf(token: string): string {
  return createHash('sha256').update('csrf:').update(token).digest('base64url');
}

export function isCsrfToken(token: string, given: unknown): boolean {
  const expected = Buffer.from(csrfTokenOf(token));
  const sent = Buffer.from(typeof given === 'string' ? given : '');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

export type NewSession = Readonly<{ token: string; csrfToken: string }>;

/** The network and the browser that a session began with. Its owner recognises the session by them. */
export type SessionOrigin = Readonly<{ network: string | null; browser: string | null }>;

export function sessionOrigin({ ip, headers }: FastifyRequest): SessionOrigin {
  const [network, site = network] = parseNetworks(ip);
  return { network: site === '' ? null : site, browser: parseUserAgent(headers['user-agent']) };
}

/**
 * Undefined if the password has changed since it was checked. A change of the password ends all sessions, and the lock on the
 * account keeps a session from beginning at the same time.
 */
export async function insertAdminSession(
  db: Pool | Client,
  { accountId, passwordHash }: { accountId: string; passwordHash: string | null },
  { network, browser }: SessionOrigin,
  nowMs: number,
): Promise<NewSession | undefined> {
  const { token, tokenHash } = newSecretToken();
  const { rowCount } = await db.query(
    `insert into account_sessions (token_hash, account_id, created_at, seen_at, expires_at, network, browser)
     select $1, id, $3, $3, $4, $6, $7 from accounts where id = $2 and password_hash is not distinct from $5
     for share`,
    [
      ...[tokenHash, accountId, new Date(nowMs), new Date(nowMs + SESSION_IDLE_MS), passwordHash],
      ...[network, browser],
    ],
  );
  return rowCount === 1 ? { token, csrfToken: csrfTokenOf(token) } : undefined;
}

/**
 * The person of a cookie, and the membership in the studio `tenant`, by default in the studio that the person joined first.
 * Undefined if the session has ended. The membership is undefined if the person is not a member of the studio.
 */
export async function findSignedIn(
  pool: Pool,
  token: string,
  { tenant, nowMs }: { tenant: string | undefined; nowMs: number },
): Promise<{ signedIn: SignedIn; membership: Membership | undefined } | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const tokenHash = hashOfToken(token);
  const row = await findSession(pool, tokenHash, tenant ?? null, nowMs);
  if (row === undefined) return undefined;
  const { createdAt, seenAt, tenantId, tenant: slug, role, ...account } = row;
  if (seenAt + SEEN_EVERY_MS <= nowMs) {
    const expiresAt = Math.min(createdAt + SESSION_MAX_MS, nowMs + SESSION_IDLE_MS);
    await updateSessionSeen(pool, tokenHash, nowMs, expiresAt);
  }
  const membership =
    tenantId === null || slug === null || role === null ? undefined : { tenantId, tenant: slug, role };
  return { signedIn: { ...account, tokenHash, csrfToken: csrfTokenOf(token) }, membership };
}

async function findSession(
  pool: Pool,
  tokenHash: Buffer,
  tenant: string | null,
  nowMs: number,
): Promise<SessionRow | undefined> {
  const rows = await query<SessionRow>(
    pool,
    {
      name: 'find_admin_session',
      text: `select a.id as "accountId", a.email, a.name, a.password_hash is not null as "hasPassword",
               a.second_factor is not null as "hasSecondFactor", s.created_at as "createdAt", s.seen_at as "seenAt",
               s.expires_at as "expiresAt", m.tenant_id as "tenantId", m.slug as tenant, m.role
             from account_sessions s
             join lateral (select * from accounts a where a.id = s.account_id offset 0) a on true
             left join lateral (
               select m.tenant_id, t.slug, m.role
               from studio_members m join tenants t on t.id = m.tenant_id
               where m.account_id = s.account_id and ($2::text is null or t.slug = $2)
               order by m.joined_at, m.tenant_id
               limit 1
             ) m on true
             where s.token_hash = $1 and s.expires_at > $3`,
    },
    [tokenHash, tenant, new Date(nowMs)],
  );
  return rows[0];
}

/** Changes nothing if the session has ended meanwhile. */
async function updateSessionSeen(
  pool: Pool,
  tokenHash: Buffer,
  nowMs: number,
  expiresAt: number,
): Promise<void> {
  await query(
    pool,
    {
      name: 'update_admin_session_seen',
      text: 'update account_sessions set seen_at = $2, expires_at = $3 where token_hash = $1',
    },
    [tokenHash, new Date(nowMs), new Date(expiresAt)],
  );
}

/** Locks the session: it stays open until the transaction ends. */
export async function isSessionOpen(client: Client, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await client.query('select from account_sessions where token_hash = $1 for share', [
    tokenHash,
  ]);
  return rowCount === 1;
}

export async function deleteAdminSession(db: Pool | Client, tokenHash: Buffer): Promise<number> {
  const { rowCount } = await db.query('delete from account_sessions where token_hash = $1', [tokenHash]);
  return rowCount ?? 0;
}

/** Ends all sessions of an account, but for `except`. Returns how many ended. */
export async function deleteSessionsOfAccount(
  db: Pool | Client,
  accountId: string,
  except: Buffer | null = null,
): Promise<number> {
  const { rowCount } = await db.query(
    'delete from account_sessions where account_id = $1 and ($2::bytea is null or token_hash <> $2)',
    [accountId, except],
  );
  return rowCount ?? 0;
}

export type StudioOfAccount = { tenantId: string; name: string; role: Role };

export const MAX_STUDIOS = 100;

/** In the order of joining: the first studio is used if X-Tenant-ID is missing. */
export async function listStudiosOfAccount(db: Pool | Client, accountId: string): Promise<StudioOfAccount[]> {
  return query<StudioOfAccount>(
    db,
    {
      name: 'list_studios_of_account',
      text: `select t.slug as "tenantId", t.name, m.role
             from studio_members m join tenants t on t.id = m.tenant_id
             where m.account_id = $1
             order by m.joined_at, m.tenant_id
             limit $2`,
    },
    [accountId, MAX_STUDIOS],
  );
}

/** The name of a studio. */
export async function findStudioName(pool: Pool, tenantId: number): Promise<string> {
  const rows = await query<{ name: string }>(
    pool,
    { name: 'find_studio_name', text: 'select name from tenants where id = $1' },
    [tenantId],
  );
  return rows[0]?.name ?? '';
}
