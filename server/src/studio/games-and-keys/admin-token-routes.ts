import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cutIdPage, PageParameters, pageOf } from '../../platform/admin-api/keyset-page.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { DAY_MS } from '../../platform/lib/day.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { routesOfStudio } from '../admin-api/admin-routes.js';
import {
  createAdminToken,
  type ListedToken,
  listAdminTokensOfTenant,
  revokeAdminToken,
} from '../admin-api/admin-tokens.js';
import {
  AdminTokenParameters,
  AdminTokensResponse,
  CreatedAdminTokenResponse,
  NewAdminTokenBody,
  RevokedAdminTokenResponse,
} from './admin-token-schemas.js';

const TOKEN_ID = /^[0-9a-f]{16}$/;

/** The admin tokens of a studio, for its owners. */
export function adminTokenRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfStudio(app, ctx, 'Access');

  routes.get('/admin/v1/admin-tokens', {
    role: 'owner',
    operationId: 'listAdminTokens',
    summary: 'The admin tokens of the studio, including revoked ones, by id',
    querystring: PageParameters,
    response: { 200: AdminTokensResponse },
    handle: async ({ admin, query }) => {
      const page = pageOf(query, TOKEN_ID);
      const found = await listAdminTokensOfTenant(ctx.pool, admin.tenantId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ tokenId }) => tokenId);
      return { tokens: rows.map((row) => toResponse(row, ctx.clock.now())), nextCursor };
    },
  });

  routes.post('/admin/v1/admin-tokens', {
    role: 'owner',
    operationId: 'createAdminToken',
    summary: 'Create an admin token; it is shown once',
    body: NewAdminTokenBody,
    response: { 201: CreatedAdminTokenResponse },
    errors: BODY_ERRORS,
    handle: async ({ admin, body, actorNow }) => {
      const { name, role, expiresDays } = body;
      const actor = actorNow();
      return createAdminToken(
        ctx.pool,
        {
          tenantId: admin.tenantId,
          name: name.trim(),
          role,
          expiresAt: expiresDays === undefined ? null : actor.nowMs + expiresDays * DAY_MS,
        },
        actor,
      );
    },
  });

  routes.delete('/admin/v1/admin-tokens/:tokenId', {
    role: 'owner',
    operationId: 'revokeAdminToken',
    summary: 'Revoke an admin token: its next request is refused',
    params: AdminTokenParameters,
    response: { 200: RevokedAdminTokenResponse },
    errors: ['admin_token_not_found'],
    handle: async ({ admin: { tenantId }, params, actorNow }) => {
      const { tokenId } = params;
      const isRevoked =
        TOKEN_ID.test(tokenId) && (await revokeAdminToken(ctx.pool, tokenId, actorNow(), tenantId));
      if (!isRevoked) throw new ApiError('admin_token_not_found');
      return { tokenId };
    },
  });
}

function toResponse(row: Omit<ListedToken, 'tenant'>, nowMs: number) {
  const { createdAt, expiresAt, revokedAt, ...rest } = row;
  const isExpired = expiresAt !== null && expiresAt <= nowMs;
  return {
    ...rest,
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
    revokedAt: toTime(revokedAt),
    state: revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active',
  };
}
