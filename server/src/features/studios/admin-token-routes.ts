import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { adminErrors } from '../../admin/admin-errors.js';
import { actorOf, adminOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, success, toTime } from '../../admin/admin-responses.js';
import {
  createAdminToken,
  type ListedToken,
  listAdminTokensOfTenant,
  revokeAdminToken,
} from '../../admin/admin-tokens.js';
import { cutIdPage, PageParameters, pageOf } from '../../admin/keyset-page.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { DAY_MS } from '../../lib/day.js';
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
  app.addHook('onRequest', requireRole(ctx, 'owner'));
  const common = adminSchema('Access');
  const routes = withSchemaTypes(app);

  routes.get(
    '/admin/v1/admin-tokens',
    {
      schema: {
        ...common,
        operationId: 'listAdminTokens',
        summary: 'The admin tokens of the studio, including revoked ones, by id',
        querystring: PageParameters,
        response: { 200: AdminTokensResponse, ...adminErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const page = pageOf(request.query, TOKEN_ID);
      const found = await listAdminTokensOfTenant(ctx.pool, adminOf(request).tenantId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ tokenId }) => tokenId);
      return success({ tokens: rows.map((row) => toResponse(row, ctx.clock.now())), nextCursor });
    },
  );

  routes.post(
    '/admin/v1/admin-tokens',
    {
      schema: {
        ...common,
        operationId: 'createAdminToken',
        summary: 'Create an admin token; it is shown once',
        body: NewAdminTokenBody,
        response: { 201: CreatedAdminTokenResponse, ...adminErrors(BODY_ERRORS) },
      },
    },
    async (request, reply) => {
      const { name, role, expiresDays } = request.body;
      const actor = actorOf(ctx, request);
      const created = await createAdminToken(
        ctx.pool,
        {
          tenantId: adminOf(request).tenantId,
          name: name.trim(),
          role,
          expiresAt: expiresDays === undefined ? null : actor.nowMs + expiresDays * DAY_MS,
        },
        actor,
      );
      return reply.code(201).send(success(created));
    },
  );

  routes.delete(
    '/admin/v1/admin-tokens/:tokenId',
    {
      schema: {
        ...common,
        operationId: 'revokeAdminToken',
        summary: 'Revoke an admin token: its next request is refused',
        params: AdminTokenParameters,
        response: { 200: RevokedAdminTokenResponse, ...adminErrors(['admin_token_not_found']) },
      },
    },
    async (request) => {
      const { tokenId } = request.params;
      const { tenantId } = adminOf(request);
      const isRevoked =
        TOKEN_ID.test(tokenId) &&
        (await revokeAdminToken(ctx.pool, tokenId, actorOf(ctx, request), tenantId));
      if (!isRevoked) throw new ApiError('admin_token_not_found');
      return success({ tokenId });
    },
  );
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
