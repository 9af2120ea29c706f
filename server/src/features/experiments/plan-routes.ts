import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { withSchemaTypes } from '../../http/validation.js';
import { createPlayerSamples } from '../audiences/player-samples.js';
import { ExperimentPlanResponse } from './experiment-schemas.js';
import { findWrittenExperiment } from './experiment-views.js';
import { type PlanRequest, planExperiment, planRequestOf, usualPlan } from './plan-experiment.js';

const Audience = Type.Union([Type.Literal('all'), Type.Literal('new')], {
  description: 'new: only players who start while it runs. By default all',
});

/** How long an experiment would take with this game. */
export function experimentPlanRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const samples = createPlayerSamples(ctx.reads, ctx.clock);
  const planned = (asked: PlanRequest, nowMs: number) =>
    ctx.reads.run((db) => planExperiment(db, samples, asked, nowMs));
  withSchemaTypes(app).get(
    '/admin/v1/games/:game/experiment-plan',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Experiments'),
        operationId: 'planExperiment',
        summary: 'How many players and days an experiment needs, from the figures of this game',
        description:
          'Of an experiment of the draft, else of the published version; without `experimentId`, of the usual metrics with two arms.',
        params: GameParameters,
        querystring: Type.Object({
          experimentId: Type.Optional(Type.String()),
          audience: Type.Optional(Audience),
        }),
        response: {
          200: ExperimentPlanResponse,
          ...gameErrors(['parameter_invalid', 'experiment_not_found']),
        },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { experimentId, audience = 'all' } = request.query;
      const nowMs = ctx.clock.now();
      if (experimentId === undefined) {
        return success(await planned(usualPlan(gameId, audience), nowMs));
      }
      const experiment = await findWrittenExperiment(ctx.pool, gameId, experimentId, nowMs);
      if (experiment === undefined) throw new ApiError('experiment_not_found');
      return success(await planned(planRequestOf(experiment, gameId, audience), nowMs));
    },
  );
}
