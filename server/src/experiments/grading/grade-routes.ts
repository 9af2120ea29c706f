import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { findStanding } from './grade-queries.js';
import { ExperimentGradesResponse } from './grade-schemas.js';
import { NOT_GRADED } from './standing.js';

/** How often the statistics of experiments are wrong with this game. */
export function experimentGradeRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Experiments');

  routes.get('/admin/v1/games/:game/experiment-grades', {
    role: 'viewer',
    operationId: 'getExperimentGrades',
    summary: 'How many hidden A/A experiments gave a false alarm, and whether that is chance',
    response: { 200: ExperimentGradesResponse },
    handle: async ({ gameId }) => {
      const found = await findStanding(ctx.pool, gameId);
      const { metrics, ...standing } = found?.standing ?? NOT_GRADED;
      const made = { night: found?.night ?? null, madeAt: toTime(found?.madeAt ?? null) };
      return { ...standing, ...made, metrics: [...metrics] };
    },
  });
}
