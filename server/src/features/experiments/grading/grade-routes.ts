import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../../admin/admin-context.js';
import { gameErrors } from '../../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../../admin/admin-responses.js';
import { withSchemaTypes } from '../../../http/validation.js';
import { findStanding } from './grade-queries.js';
import { ExperimentGradesResponse } from './grade-schemas.js';
import { NOT_GRADED } from './standing.js';

/** How often the statistics of experiments are wrong with this game. */
export function experimentGradeRoutes(app: FastifyInstance, ctx: AdminContext): void {
  withSchemaTypes(app).get(
    '/admin/v1/games/:game/experiment-grades',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Experiments'),
        operationId: 'getExperimentGrades',
        summary: 'How many hidden A/A experiments gave a false alarm, and whether that is chance',
        params: GameParameters,
        response: { 200: ExperimentGradesResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const found = await findStanding(ctx.pool, gameId);
      const { metrics, ...standing } = found?.standing ?? NOT_GRADED;
      const made = { night: found?.night ?? null, madeAt: toTime(found?.madeAt ?? null) };
      return success({ ...standing, ...made, metrics: [...metrics] });
    },
  );
}
