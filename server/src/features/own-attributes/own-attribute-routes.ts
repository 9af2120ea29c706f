import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import { withSchemaTypes } from '../../http/validation.js';
import { OwnAttributesResponse } from './own-attribute-schemas.js';
import { findOwnAttributes } from './own-attributes.js';

/** The attributes that a game defines itself, and how far their past has been worked out. */
export function ownAttributeRoutes(app: FastifyInstance, ctx: AdminContext): void {
  withSchemaTypes(app).get(
    '/admin/v1/games/:game/own-attributes',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Versions'),
        operationId: 'showOwnAttributes',
        summary: 'The published own attributes, and how far they have been worked out for the past',
        params: GameParameters,
        response: { 200: OwnAttributesResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { since, finishedAt, ...own } = await findOwnAttributes(ctx.pool, gameId);
      return success({ ...own, since: toTime(since), finishedAt: toTime(finishedAt) });
    },
  );
}
