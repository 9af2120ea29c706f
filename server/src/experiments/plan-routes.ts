import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { createPlayerSamples } from '../liveops/audiences/player-samples.js';
import { ApiError } from '../platform/errors.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import { routesOfGame } from '../studio/admin-api/admin-routes.js';
import { ExperimentPlanResponse } from './experiment-schemas.js';
import { findWrittenExperiment } from './experiment-views.js';
import { type PlanRequest, planExperiment, planRequestOf, usualPlan } from './plan-experiment.js';

const Audience = Type.Union([Type.Literal('all'), Type.Literal('new')], {
  description: 'new: only players who start while it runs. By default all',
});

/** How long an experiment would take with this game. */
export function experimentPlanRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Experiments');
  const samples = createPlayerSamples(ctx.reads, ctx.clock);
  const planned = (asked: PlanRequest, nowMs: number) =>
    ctx.reads.run((db) => planExperiment(db, samples, asked, nowMs));
  routes.get('/admin/v1/games/:game/experiment-plan', {
    role: 'viewer',
    operationId: 'planExperiment',
    summary: 'How many players and days an experiment needs, from the figures of this game',
    description:
      'Of an experiment of the draft, else of the published version; without `experimentId`, of the usual metrics with two arms.',
    querystring: Type.Object({
      experimentId: Type.Optional(
        Type.String({ description: 'Id of an experiment of the draft or of the published version' }),
      ),
      audience: Type.Optional(Audience),
    }),
    response: { 200: ExperimentPlanResponse },
    errors: ['experiment_not_found'],
    handle: async ({ gameId, query }) => {
      const { experimentId, audience = 'all' } = query;
      const nowMs = ctx.clock.now();
      if (experimentId === undefined) {
        return planned(usualPlan(gameId, audience), nowMs);
      }
      const experiment = await findWrittenExperiment(ctx.pool, gameId, experimentId, nowMs);
      if (experiment === undefined) throw new ApiError('experiment_not_found');
      return planned(planRequestOf(experiment, gameId, audience), nowMs);
    },
  });
}
