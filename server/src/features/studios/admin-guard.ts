import type { FastifyRequest } from 'fastify';
import { ApiError, ERRORS } from '../../errors.js';
import { bearerToken } from '../../http/bearer-token.js';
import { didYouMean, nearestName } from '../../lib/nearest-name.js';
import type { AdminContext } from './admin-context.js';
import { type Admin, findAdmin, isAtLeast, type Role } from './admin-tokens.js';
import type { Actor } from './audit-log.js';
import { type AdminGame, findGameOfTenant, listGamesOfTenant } from './game-queries.js';
import { isSlug } from './tenants.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the admin guard. */
    admin: Admin | undefined;
  }
}

/**
 * The guard of every admin route, as an onRequest hook: nothing of a body is read before the token and its role have been
 * checked. The token is looked up each time, so one that is revoked is refused with the next request. Unknown, revoked
 * and expired ones get the same answer: nothing is learnt by trying.
 */
export function requireRole(ctx: AdminContext, role: Role) {
  return async (request: FastifyRequest): Promise<void> => {
    const admin = await findAdmin(ctx.pool, bearerToken(request.headers.authorization), ctx.clock.now());
    if (admin === undefined) throw new ApiError('token_invalid');
    request.admin = admin;
    if (!isAtLeast(admin.role, role)) {
      throw new ApiError('role_too_low', {
        message: `This needs a token with the role ${role}; yours is ${admin.role}.`,
        details: { roleNeeded: role },
      });
    }
  };
}

/** What `requireRole` put on the request. */
export function adminOf({ admin }: FastifyRequest): Admin {
  if (admin === undefined) throw new Error('this route is outside of its guard');
  return admin;
}

/** The game of the address. That of another studio is not found: not even its existence is told. */
export async function gameOf(ctx: AdminContext, request: FastifyRequest): Promise<AdminGame> {
  const { game = '' } = request.params as { game?: string };
  return requireGameOfTenant(ctx, request, game);
}

export async function requireGameOfTenant(
  ctx: AdminContext,
  request: FastifyRequest,
  slug: string,
): Promise<AdminGame> {
  const { tenantId } = adminOf(request);
  const found = isSlug(slug) ? await findGameOfTenant(ctx.pool, tenantId, slug) : undefined;
  if (found !== undefined) return found;
  const games = await listGamesOfTenant(ctx.pool, tenantId);
  const nearest = nearestName(
    slug,
    games.map(({ game }) => game),
  );
  throw new ApiError(
    'game_not_found',
    nearest === undefined ? {} : { message: `${ERRORS.game_not_found.message}${didYouMean(nearest)}` },
  );
}

/** Who goes down in the audit log. */
export function actorOf(ctx: AdminContext, request: FastifyRequest): Actor {
  return { name: adminOf(request).name, nowMs: ctx.clock.now() };
}
