import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { listVersionsPublished } from '../../core/configs/config-queries.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { jsonOrCsv, sendCsv } from '../../studio/admin-api/csv-file.js';
import { DAY_SPAN_PARAMETERS, type DaySpan, daySpanOf } from '../../studio/admin-api/day-span.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { listNewBuilds } from './breakdowns/breakdown.js';
import { type DashboardDay, gameDashboard, listGameDays } from './dashboard.js';
import { cohortResponse, cohortsToCsv, dayResponse, daysToCsv } from './dashboard-response.js';
import { DashboardResponse } from './dashboard-schemas.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], {
  description: 'By default json; csv is one of its tables as a file',
});
const Table = Type.Union([Type.Literal('days'), Type.Literal('cohorts')], {
  description: 'Of the CSV file: by default days',
});
const MAX_VERSIONS = 200;

/** The numbers of a game, day by day. */
export function dashboardRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');

  routes.get('/admin/v1/games/:game/dashboard', {
    role: 'viewer',
    operationId: 'getDashboard',
    summary: 'Players, revenue and retention, day by day',
    querystring: Type.Object({
      ...DAY_SPAN_PARAMETERS,
      format: Type.Optional(Format),
      table: Type.Optional(Table),
    }),
    response: {
      200: jsonOrCsv(
        'The numbers',
        DashboardResponse,
        'day,activePlayers,…,revenue:USD,revenuePerActivePlayer:USD,revenuePerPayingPlayer:USD\r\n2026-11-15,1204,…,210.66,0.175,5.0157\r\n',
      ),
    },
    handle: async ({ gameId, game, query, reply }) => {
      const nowMs = ctx.clock.now();
      const span = daySpanOf(query, nowMs);
      const { format = 'json', table = 'days' } = query;
      const { days, cohorts, rates, today, versions, builds } = await ctx.reads.run((db) =>
        readDashboard(db, gameId, span, nowMs),
      );
      if (format === 'csv') {
        const file = `${game}-${table}-${span.from}-${span.to}`;
        return sendCsv(reply, file, table === 'days' ? daysToCsv(days, rates) : cohortsToCsv(cohorts));
      }
      return {
        ...span,
        today: dayResponse(today, rates),
        days: days.map((day) => dayResponse(day, rates)),
        cohorts: cohorts.map(cohortResponse),
        versions,
        builds,
      };
    },
  });
}

/** All that the page shows, from one server. */
async function readDashboard(db: Pool, gameId: number, span: DaySpan, nowMs: number) {
  const [{ days, cohorts }, rates] = await Promise.all([
    gameDashboard(db, gameId, span.from, span.to, nowMs),
    findRateTable(db, gameId),
  ]);
  return {
    days,
    cohorts,
    rates,
    today: await dayNow(db, gameId, days, utcDay(nowMs)),
    versions: await versionsIn(db, gameId, span),
    builds: await listNewBuilds(db, gameId, span),
  };
}

/** Today, also when the span is of other days. */
async function dayNow(db: Pool, gameId: number, days: readonly DashboardDay[], today: string) {
  const known = days.find(({ day }) => day === today) ?? (await listGameDays(db, gameId, today, today))[0];
  if (known === undefined) throw new Error(`the roll-ups have no row for ${today}`);
  return known;
}

async function versionsIn(db: Pool, gameId: number, { from, to }: DaySpan) {
  const span = { sinceMs: Date.parse(from), beforeMs: Date.parse(to) + DAY_MS, limit: MAX_VERSIONS };
  const versions = await listVersionsPublished(db, gameId, span);
  return versions.map(({ publishedAt, ...version }) => ({ ...version, publishedAt: toTime(publishedAt) }));
}
