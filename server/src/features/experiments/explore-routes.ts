import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { routesOfGame } from '../../admin/admin-routes.js';
import { ApiError } from '../../errors.js';
import { hangUpOf } from '../../http/hang-up.js';
import { createFairSemaphore } from '../../lib/fair-semaphore.js';
import { metricsOf } from '../../personalisation/document/parts/experiment-metrics.js';
import { ExperimentParameters } from './experiment-schemas.js';
import { findExperiment } from './experiment-views.js';
import { exploreExperiment } from './explore-experiment.js';
import { ExplorationQuery, ExplorationResponse } from './explore-schemas.js';
import { metricTitle } from './report/words.js';

const SENTENCE =
  'This is exploration. Among many groups one differs by chance: it is no verdict. A group that looks interesting is the question of the next experiment.';
const NO_RESULT = 'There is nothing to explore before the report has a result.';
/** Each takes a connection outside of the pool for a few seconds. */
const EXPLORATIONS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 4 };
const RETRY_AFTER_SECONDS = 5;

/** The arms of an experiment in groups of players, to find the next question. */
export function experimentExploreRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Experiments');
  const semaphore = createFairSemaphore(EXPLORATIONS);
  routes.get('/admin/v1/games/:game/experiments/:experimentId/exploration', {
    role: 'viewer',
    operationId: 'exploreExperiment',
    summary: 'A metric of an experiment by country, platform, payers or new players',
    description:
      'Worked out on demand, from the first players of the experiment. Groups are what was known at the exposure, so that no arm can change who is in them. If the client disconnects, it ends.',
    params: ExperimentParameters,
    querystring: ExplorationQuery,
    response: { 200: ExplorationResponse },
    errors: ['parameter_invalid', 'experiment_not_found', 'busy'],
    handle: async ({ gameId, admin, params, query, reply }) => {
      const signal = hangUpOf(reply);
      const { by, metric: place = 0 } = query;
      const found = await findExperiment(ctx.pool, gameId, params.experimentId, ctx.clock.now());
      if (found === undefined) throw new ApiError('experiment_not_found');
      const { experiment, report } = found;
      const metric = metricsOf(experiment.metrics)[place];
      if (metric === undefined)
        throw new ApiError('parameter_invalid', { message: 'The experiment has no such metric.' });
      const described = { by, metric, title: metricTitle(metric) };
      if (report === null || report.gates.some(({ gate }) => gate === 'sample_ratio')) {
        return { ...described, sentence: NO_RESULT, examined: 0, isComplete: true, groups: [] };
      }
      const asked = { gameId, experiment, metric, by, to: report.to, signal };
      const running = semaphore
        .of(admin.tenantId, signal)
        .take(() => ctx.reads.run((db) => exploreExperiment(db, asked)));
      if (running === undefined) {
        throw new ApiError('busy', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
      }
      const explored = await running.catch((error) => {
        throw signal.aborted ? new ApiError('request_timeout', { cause: error }) : error;
      });
      return { ...described, sentence: SENTENCE, ...explored };
    },
  });
}
