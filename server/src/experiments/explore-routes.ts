import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.js';
import { hangUpOf } from '../platform/http/hang-up.js';
import { createFairSemaphore } from '../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import { routesOfGame } from '../studio/admin-api/admin-routes.js';
import { ExperimentParameters } from './experiment-schemas.js';
import { readExploration } from './exploration-request.js';
import { exploreExperiment, NOTHING_EXPLORED } from './explore-experiment.js';
import { ExplorationQuery, ExplorationResponse } from './explore-schemas.js';

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
    summary: 'A metric of an experiment by country, platform, payers, new players or a segment',
    description:
      'Worked out on demand, from the first players of the experiment. Groups are what was known at the exposure, so that no arm can change who is in them. If the client disconnects, it ends.',
    params: ExperimentParameters,
    querystring: ExplorationQuery,
    response: { 200: ExplorationResponse },
    errors: ['experiment_not_found', 'segment_not_found', 'busy'],
    handle: async ({ gameId, admin, params, query, reply }) => {
      const signal = hangUpOf(reply);
      const asked = { gameId, ...params, ...query };
      const { request: wanted, ...described } = await readExploration(ctx.pool, asked, ctx.clock.now());
      if (wanted === null) return { ...described, ...NOTHING_EXPLORED };
      const running = semaphore
        .of(admin.tenantId, signal)
        .take(() => ctx.reads.run((db) => exploreExperiment(db, { ...wanted, signal })));
      if (running === undefined) {
        throw new ApiError('busy', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
      }
      const explored = await running.catch((error) => {
        throw signal.aborted ? new ApiError('request_timeout', { cause: error }) : error;
      });
      return { ...described, ...explored };
    },
  });
}
