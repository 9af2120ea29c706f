import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toTime } from '../../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import { jsonOrCsv, PARTIAL_CSV, sendCsv } from '../../../studio/admin-api/csv-file.js';
import { DAY_SPAN_PARAMETERS, daySpanOf } from '../../../studio/admin-api/day-span.js';
import { findRateTable } from '../../../studio/money/rate-queries.js';
import { findSummedDays, listBreakdownDays, listBreakdownTotals } from './breakdown.js';
import { daysToCsv, totalsResponse, totalsToCsv } from './breakdown-response.js';
import { BreakdownResponse, DimensionParameter } from './breakdown-schemas.js';
import { findSumming } from './days-behind.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });
const Table = Type.Union([Type.Literal('values'), Type.Literal('days')], {
  description: 'Of the CSV file: a row for each value (the default), or for each day and value',
});

/** The numbers of a game by country, platform, build, SKU or promotion. */
export function breakdownRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');

  routes.get('/admin/v1/games/:game/breakdown', {
    role: 'viewer',
    operationId: 'getBreakdown',
    summary: 'Players, revenue and retention by country, platform, build, SKU or promotion',
    description: PARTIAL_CSV,
    querystring: Type.Object({
      by: Type.Optional(DimensionParameter),
      ...DAY_SPAN_PARAMETERS,
      format: Type.Optional(Format),
      table: Type.Optional(Table),
    }),
    response: {
      200: jsonOrCsv(
        'The numbers',
        BreakdownResponse,
        'kind,country,activePlayerDays,…,revenue:EUR,revenuePerActivePlayer:EUR,revenuePerPayingPlayer:EUR\r\nvalue,DE,410,…,84.87,0.207,4.9924\r\n',
      ),
    },
    handle: async ({ gameId, game, query, reply }) => {
      const nowMs = ctx.clock.now();
      const span = daySpanOf(query, nowMs);
      const { by = 'country', format = 'json', table = 'values' } = query;
      const file = `${game}-${by}-${table}-${span.from}-${span.to}`;
      if (format === 'csv' && table === 'days') {
        const { days, rates, summing } = await ctx.reads.run(async (db) => ({
          days: await listBreakdownDays(db, gameId, by, span),
          rates: await findRateTable(db, gameId),
          summing: await findSumming(db, gameId, span, nowMs),
        }));
        return sendCsv(reply, file, daysToCsv(by, days, rates), summing);
      }
      const { summed, summing, totals, rates } = await ctx.reads.run(async (db) => {
        const rates = await findRateTable(db, gameId);
        const [summed, summing, totals] = await Promise.all([
          findSummedDays(db, gameId, span),
          findSumming(db, gameId, span, nowMs),
          listBreakdownTotals(db, gameId, by, span, rates?.changeDays),
        ]);
        return { summed, summing, totals, rates };
      });
      const values = totalsResponse(by, totals, summed.activePlayerDays, rates);
      if (format === 'csv')
        return sendCsv(reply, file, totalsToCsv(by, values, summed.activePlayerDays), summing);
      const { days, summedAt, activePlayerDays } = summed;
      return { by, ...span, daysSummed: days, summedAt: toTime(summedAt), summing, activePlayerDays, values };
    },
  });
}
