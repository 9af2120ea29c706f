import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../../platform/errors.js';
import { isCurrency } from '../../../platform/lib/currencies.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import { findRateTable } from '../../../studio/money/rate-queries.js';
import { forecastResponse } from './forecast-response.js';
import { ForecastResponse } from './forecast-schemas.js';
import { listRevenueDays } from './revenue-days.js';

/** The revenue of the next four weeks. */
export function forecastRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');

  routes.get('/admin/v1/games/:game/revenue-forecast', {
    role: 'viewer',
    operationId: 'getRevenueForecast',
    summary: 'The revenue of the next 28 days, with an interval',
    querystring: Type.Object({
      currency: Type.Optional(
        Type.String({
          description:
            'Only payments in this currency, as they were made. By default all payments in the reporting currency; if the studio has none, those in the currency with revenue on the most days of the last year',
        }),
      ),
    }),
    response: { 200: ForecastResponse },
    handle: async ({ gameId, query }) => {
      const { currency } = query;
      if (currency !== undefined && !isCurrency(currency)) {
        throw new ApiError('parameter_invalid', { message: 'currency must be a code such as USD.' });
      }
      const nowMs = ctx.clock.now();
      const { days, rates } = await ctx.reads.run(async (db) => ({
        days: await listRevenueDays(db, gameId, nowMs),
        rates: await findRateTable(db, gameId),
      }));
      return forecastResponse(days, { currency, rates, nowMs });
    },
  });
}
