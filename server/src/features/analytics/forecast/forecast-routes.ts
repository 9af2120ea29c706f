import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../../admin/admin-context.js';
import { gameErrors } from '../../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../../admin/admin-guard.js';
import { adminSchema, GameParameters, success } from '../../../admin/admin-responses.js';
import { ApiError } from '../../../errors.js';
import { withSchemaTypes } from '../../../http/validation.js';
import { isCurrency } from '../../../lib/currencies.js';
import { findRateTable } from '../../reporting/rate-queries.js';
import { forecastResponse } from './forecast-response.js';
import { ForecastResponse } from './forecast-schemas.js';
import { listRevenueDays } from './revenue-days.js';

/** The revenue of the next four weeks. */
export function forecastRoutes(app: FastifyInstance, ctx: AdminContext): void {
  withSchemaTypes(app).get(
    '/admin/v1/games/:game/revenue-forecast',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Numbers'),
        operationId: 'getRevenueForecast',
        summary: 'The revenue of the next 28 days, with an interval',
        params: GameParameters,
        querystring: Type.Object({
          currency: Type.Optional(
            Type.String({
              description:
                'Only payments in this currency, as they were made. By default all payments in the reporting currency; if the studio has none, those in the currency with revenue on the most days of the last year',
            }),
          ),
        }),
        response: { 200: ForecastResponse, ...gameErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { currency } = request.query;
      if (currency !== undefined && !isCurrency(currency)) {
        throw new ApiError('parameter_invalid', { message: 'currency must be a code such as USD.' });
      }
      const nowMs = ctx.clock.now();
      const { days, rates } = await ctx.reads.run(async (db) => ({
        days: await listRevenueDays(db, gameId, nowMs),
        rates: await findRateTable(db, gameId),
      }));
      return success(forecastResponse(days, { currency, rates, nowMs }));
    },
  );
}
