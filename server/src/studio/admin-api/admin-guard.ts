import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { isSlug } from '../../platform/admin-api/tenants.js';
import { ApiError, ERRORS } from '../../platform/errors.js';
import { bearerToken } from '../../platform/http/bearer-token.js';
import { didYouMean, nearestName } from '../../platform/lib/nearest-name.js';
import type { AdminContext } from './admin-context.js';
import {
  findSignedIn,
  isCsrfToken,
  type Membership,
  SESSION_COOKIE,
  type SignedIn,
} from './admin-sessions.js';
import { type Admin, findAdmin } from './admin-tokens.js';
import { cookieOf } from './cookies.js';
import { type AdminGame, findGameOfTenant, listGamesOfTenant } from './game-queries.js';
import { isAtLeast, type Role } from './roles.js';
import { refuseCrossOrigin } from './same-origin.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the admin guard. */
    admin: Admin | undefined;
    /** Set by the admin guard, if a person has signed in. */
    signedIn: SignedIn | undefined;
  }
}

/** A name that was probably meant is looked for among so many games of the studio. */
const SUGGESTED_GAMES = 100;

/** These need no CSRF token: they change nothing, and a page of another origin cannot read the response. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * The guard of every admin route, as an onRequest hook: the body is not read before the sender and the role have been checked.
 * The sender is looked up with each request, so a token that was revoked, or a session that has ended, is refused with the next
 * request. Unknown, revoked and expired tokens get the same response, so that an attacker learns nothing by trying.
 *
 *   Authorization ──► admin token ─────────────────────────────► role in its studio
 *   cookie ──► same origin ──► CSRF token ──► session ──► role in the studio of X-Tenant-ID, or in the first one joined
 */
export function requireRole(ctx: AdminContext, role: Role) {
  return async (request: FastifyRequest): Promise<void> => {
    const admin = await adminWho(ctx, request);
    request.admin = admin;
    refuseRoleBelow(admin.role, role);
  };
}

export function refuseRoleBelow(role: Role, needed: Role): void {
  if (isAtLeast(role, needed)) return;
  throw new ApiError('role_too_low', {
    message: `This needs the role ${needed}; yours is ${role}.`,
    details: { roleNeeded: needed },
  });
}

/** The guard of the routes of the own account. They need a person who has signed in: an admin token has no account. */
export function requireAccount(ctx: AdminContext) {
  return async (request: FastifyRequest): Promise<void> => {
    const found = await findSender(ctx, request);
    if ('token' in found) throw new ApiError('account_needed');
    request.signedIn = found.signedIn;
  };
}

async function adminWho(ctx: AdminContext, request: FastifyRequest): Promise<Admin> {
  const found = await findSender(ctx, request);
  if ('token' in found) return found.token;
  const { signedIn, membership } = found;
  request.signedIn = signedIn;
  if (membership === undefined) throw new ApiError('not_a_member');
  const { accountId, name, expiresAt } = signedIn;
  return { tokenId: null, accountId, name, expiresAt, ...membership };
}

const OTHER_STUDIO = 'This admin token is of another studio than the one that X-Tenant-ID names.';

type Sender = { token: Admin } | { signedIn: SignedIn; membership: Membership | undefined };

async function findSender(ctx: AdminContext, request: FastifyRequest): Promise<Sender> {
  const { headers, method } = request;
  const tenant = headers['x-tenant-id'];
  const nowMs = ctx.clock.now();
  const cookie = headers.authorization === undefined ? cookieOf(request, SESSION_COOKIE) : undefined;
  if (cookie === undefined) {
    const token = await findAdmin(ctx.pool, bearerToken(headers.authorization), nowMs);
    if (token === undefined) throw new ApiError('token_invalid');
    // The token decides. But studios may have games of the same name, and whoever names another studio has sent the wrong token.
    if (tenant !== undefined && tenant !== token.tenant)
      throw new ApiError('not_a_member', { message: OTHER_STUDIO });
    return { token };
  }
  refuseCrossOrigin(request);
  const found = await findSignedIn(ctx.pool, cookie, { tenant: tenant?.toString(), nowMs });
  if (found === undefined) throw new ApiError('session_ended');
  if (!SAFE_METHODS.has(method) && !isCsrfToken(cookie, headers['x-csrf-token']))
    throw new ApiError('csrf_token_invalid');
  return found;
}

/** What `requireRole` put on the request. */
export function adminOf({ admin }: FastifyRequest): Admin {
  if (admin === undefined) throw new Error('this route is outside of its guard');
  return admin;
}

/** What `requireAccount` put on the request. */
export function signedInOf({ signedIn }: FastifyRequest): SignedIn {
  if (signedIn === undefined) throw new Error('this route is outside of its guard');
  return signedIn;
}

/** The game of the path. A game of another studio is not found, like one that does not exist. */
export async function gameOf(ctx: AdminContext, request: FastifyRequest): Promise<AdminGame> {
  const { game = '' } = request.params as { game?: string };
  return requireGameOfTenant(ctx, adminOf(request), game);
}

export async function requireGameOfTenant(
  ctx: AdminContext,
  { tenantId }: Admin,
  slug: string,
): Promise<AdminGame> {
  const found = isSlug(slug) ? await findGameOfTenant(ctx.pool, tenantId, slug) : undefined;
  if (found !== undefined) return found;
  const games = await listGamesOfTenant(ctx.pool, tenantId, { after: null, limit: SUGGESTED_GAMES });
  const nearest = nearestName(
    slug,
    games.map(({ game }) => game),
  );
  throw new ApiError(
    'game_not_found',
    nearest === undefined ? {} : { message: `${ERRORS.game_not_found.message}${didYouMean(nearest)}` },
  );
}

/** Who is recorded in the audit log. */
export function actorOf(ctx: AdminContext, request: FastifyRequest): Actor {
  const { name, tokenId } = adminOf(request);
  return tokenId === null ? personOf(ctx, request) : { name, tokenId, nowMs: ctx.clock.now() };
}

/** The same for routes behind `requireAccount`, which only people can call. */
export function personOf(ctx: AdminContext, request: FastifyRequest): Actor {
  const { name, accountId, email } = signedInOf(request);
  return { name, account: { accountId, email }, nowMs: ctx.clock.now() };
}
