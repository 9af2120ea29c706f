import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { findConfigVersionAt } from '../../core/configs/config-queries.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { jsonOrCsv, sendCsv } from '../../studio/admin-api/csv-file.js';
import { findNewestComparison } from './holdout-queries.js';
import { comparisonResponse, comparisonToCsv } from './holdout-response.js';
import { HoldoutResponse } from './holdout-schemas.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });

/** Whether targeting works: players who are held out against the rest. */
export function holdoutRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');

  routes.get('/admin/v1/games/:game/holdout', {
    role: 'viewer',
    operationId: 'getHoldout',
    summary: 'Players who are held out against the rest, with intervals that may be looked at every day',
    querystring: Type.Object({ format: Type.Optional(Format) }),
    response: {
      200: jsonOrCsv(
        'The comparison',
        HoldoutResponse,
        'from,to,holdoutPercent,measure,…,state,cappedPlayers,cappedAt\r\n2026-10-18,2026-11-14,5,conversion,…,higher,,\r\n',
      ),
    },
    handle: async ({ gameId, game, query, reply }) => {
      const [published, stored] = await Promise.all([
        findConfigVersionAt(ctx.pool, gameId, ctx.clock.now()),
        findNewestComparison(ctx.pool, gameId),
      ]);
      const { holdoutPercent } = published.document.store;
      // One of another share says nothing of the players who are held out now.
      const isCurrent = stored !== undefined && stored.holdoutPercent === holdoutPercent;
      const comparison = isCurrent ? comparisonResponse(stored) : null;
      if (query.format === 'csv') {
        return sendCsv(reply, `${game}-holdout`, comparisonToCsv(comparison));
      }
      const state = comparison !== null ? 'compared' : holdoutPercent === 0 ? 'off' : 'collecting';
      return { state, holdoutPercent, comparison } as const;
    },
  });
}
