import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toTime } from '../../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import { jsonOrCsv, PARTIAL_CSV, sendCsv } from '../../../studio/admin-api/csv-file.js';
import { DAY_SPAN_PARAMETERS, daySpanOf } from '../../../studio/admin-api/day-span.js';
import { curvesResponse, curvesToCsv } from './install-response.js';
import { ByParameter, PeriodParameter, RevenuePerInstallResponse } from './install-schemas.js';
import { revenuePerInstall } from './revenue-per-install.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });

/** What an install is worth after some days, by the time and the place that it came from. */
export function installRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');

  routes.get('/admin/v1/games/:game/revenue-per-install', {
    role: 'viewer',
    operationId: 'getRevenuePerInstall',
    summary: 'Revenue per install by days since the start, by cohort, country or source',
    description: PARTIAL_CSV,
    querystring: Type.Object({
      by: Type.Optional(ByParameter),
      period: Type.Optional(PeriodParameter),
      ...DAY_SPAN_PARAMETERS,
      format: Type.Optional(Format),
    }),
    response: {
      200: jsonOrCsv(
        'The curves',
        RevenuePerInstallResponse,
        'cohort,kind,value,age,players,reportingCurrency,reported:revenue,reported:revenuePerInstall,withoutRate,revenue:USD,revenuePerInstall:USD\r\n2026-11-02,all,,0,410,USD,12.97,0.0316,,12.97,0.0316\r\n',
      ),
    },
    handle: async ({ gameId, game, query, reply }) => {
      const nowMs = ctx.clock.now();
      const span = daySpanOf(query, nowMs);
      const { by = 'cohort', period = 'week', format = 'json' } = query;
      const { summedAt, throughDay, summing, curves } = await ctx.reads.run((db) =>
        revenuePerInstall(db, gameId, { by, period, ...span }, nowMs),
      );
      const shown = curvesResponse(curves);
      if (format === 'csv') {
        const file = `${game}-revenue-per-install-${by}-${period}-${span.from}-${span.to}`;
        return sendCsv(reply, file, curvesToCsv(shown), summing);
      }
      return { by, period, ...span, summedAt: toTime(summedAt), throughDay, summing, curves: shown };
    },
  });
}
