import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { OwnAttributesResponse } from './own-attribute-schemas.js';
import { findOwnAttributes } from './own-attributes.js';

/** The attributes that a game defines itself, and how far their past has been worked out. */
export function ownAttributeRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Versions');

  routes.get('/admin/v1/games/:game/own-attributes', {
    role: 'viewer',
    operationId: 'showOwnAttributes',
    summary: 'The published own attributes, and how far they have been worked out for the past',
    response: { 200: OwnAttributesResponse },
    handle: async ({ gameId }) => {
      const { since, finishedAt, ...own } = await findOwnAttributes(ctx.pool, gameId);
      return { ...own, since: toTime(since), finishedAt: toTime(finishedAt) };
    },
  });
}
