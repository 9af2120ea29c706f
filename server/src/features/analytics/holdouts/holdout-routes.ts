import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../../admin/admin-context.js';
import { gameErrors } from '../../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../../admin/admin-guard.js';
import { adminSchema, GameParameters, success } from '../../../admin/admin-responses.js';
import { jsonOrCsv, sendCsv } from '../../../admin/csv-file.js';
import { withSchemaTypes } from '../../../http/validation.js';
import { findConfigVersionAt } from '../../game-configs/config-queries.js';
import { findNewestComparison } from './holdout-queries.js';
import { comparisonResponse, comparisonToCsv } from './holdout-response.js';
import { HoldoutResponse } from './holdout-schemas.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });

/** Whether targeting works: players who are held out against the rest. */
export function holdoutRoutes(app: FastifyInstance, ctx: AdminContext): void {
  withSchemaTypes(app).get(
    '/admin/v1/games/:game/holdout',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Numbers'),
        operationId: 'getHoldout',
        summary: 'Players who are held out against the rest, with intervals that may be looked at every day',
        params: GameParameters,
        querystring: Type.Object({ format: Type.Optional(Format) }),
        response: {
          200: jsonOrCsv(
            'The comparison',
            HoldoutResponse,
            'from,to,holdoutPercent,measure,…,state,cappedPlayers,cappedAt\r\n2026-10-18,2026-11-14,5,conversion,…,higher,,\r\n',
          ),
          ...gameErrors(['parameter_invalid']),
        },
      },
    },
    async (request, reply) => {
      const { gameId, game } = await gameOf(ctx, request);
      const [published, stored] = await Promise.all([
        findConfigVersionAt(ctx.pool, gameId, ctx.clock.now()),
        findNewestComparison(ctx.pool, gameId),
      ]);
      const { holdoutPercent } = published.document.store;
      // One of another share says nothing of the players who are held out now.
      const isCurrent = stored !== undefined && stored.holdoutPercent === holdoutPercent;
      const comparison = isCurrent ? comparisonResponse(stored) : null;
      if (request.query.format === 'csv') {
        return sendCsv(reply, `${game}-holdout.csv`, comparisonToCsv(comparison));
      }
      const state = comparison !== null ? 'compared' : holdoutPercent === 0 ? 'off' : 'collecting';
      return success({ state, holdoutPercent, comparison } as const);
    },
  );
}
