import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { DAY_MS, HOUR_MS } from '../../platform/lib/day.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { DAY_SPAN_PARAMETERS, daySpanOf } from '../../studio/admin-api/day-span.js';
import { LossesResponse } from './loss-schemas.js';
import { LOSS_GRACE_MS, listLosses, listMissing } from './losses.js';

const MAX_GRACE_HOURS = 720;
/** A client can invent any number of builds. */
const MAX_LOSSES = 1_000;

/** Events that never arrived. */
export function lossRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Events');

  routes.get('/admin/v1/games/:game/losses', {
    role: 'viewer',
    operationId: 'listLosses',
    summary: 'Numbered events that never arrived, by day, build and platform, and those missing now',
    querystring: Type.Object({
      ...DAY_SPAN_PARAMETERS,
      graceHours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_GRACE_HOURS,
          default: LOSS_GRACE_MS / HOUR_MS,
          description: 'How long a number may be missing before it counts as lost',
        }),
      ),
    }),
    response: { 200: LossesResponse },
    handle: async ({ gameId, query }) => {
      const nowMs = ctx.clock.now();
      const span = daySpanOf(query, nowMs);
      const { graceHours = LOSS_GRACE_MS / HOUR_MS } = query;
      const lostBeforeMs = nowMs - graceHours * HOUR_MS;
      const losses = await listLosses(ctx.pool, gameId, {
        sinceMs: Date.parse(span.from),
        untilMs: Math.min(Date.parse(span.to) + DAY_MS, lostBeforeMs),
        limit: MAX_LOSSES + 1,
      });
      const missing = await listMissing(ctx.pool, gameId, { sinceMs: lostBeforeMs, limit: MAX_LOSSES });
      return {
        ...span,
        graceHours,
        losses: losses.slice(0, MAX_LOSSES),
        isCut: losses.length > MAX_LOSSES,
        missing: missing.map((each) => ({ ...each, since: toTime(each.since) })),
      };
    },
  });
}
