import type { FastifyInstance } from 'fastify';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { BackgroundQuery } from '../../studio/admin-api/job-schemas.js';
import { longWorkResponses, startLongWork } from '../../studio/admin-api/long-work.js';
import { requireCandidate } from '../evaluations/require-candidate.js';
import { createRebuildPool } from '../explanations/rebuild-connections.js';
import { type BackTest, backTest, DEFAULT_DAYS } from './back-test.js';
import { BackTestBody, BackTestEnvelope, BackTestLine } from './back-test-schemas.js';

/** A studio runs one at a time. A second one gets `busy`, and so does one more than a node keeps in memory. */
const RUNS = { maxConcurrent: 8, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };
/** A run keeps the database busy, so one page of players is examined at a time. Studios take turns, page by page. */
const PAGES = { maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaitingPerKey: 1 };

/** The back-test: what a document would have done on past days. */
export function backTestRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Draft');
  const semaphore = createFairSemaphore(RUNS);
  const pages = createFairSemaphore(PAGES);
  const rebuilds = createRebuildPool(ctx.databaseUrl, PAGES.maxConcurrent);
  app.addHook('onClose', () => rebuilds.end());

  routes.post('/admin/v1/games/:game/back-test', {
    role: 'viewer',
    operationId: 'backTest',
    summary: 'What a document would have done on past days, for a sample of players',
    description:
      'Rebuilds players from their own events as they were at the start of each of the last days, and evaluates them under the version that was in force then and under the document. Compares what they bought with the prices that they would have seen. Changes nothing, and promises nothing: see `cannotKnow`. The response is a stream of lines of JSON. If the client disconnects, the run stops. With `background` it goes on as a job.',
    querystring: BackgroundQuery,
    ...bodyCheckedAs(BackTestBody, BackTestEnvelope),
    response: longWorkResponses(BackTestLine),
    errors: [...BODY_ERRORS, 'version_not_found', 'document_invalid', 'busy'],
    handle: async ({ gameId, admin: { tenantId }, query, body, reply, actorNow }) => {
      const { sample, days = DEFAULT_DAYS, ...candidate } = body ?? {};
      const { document: after, revision } = await requireCandidate(ctx.pool, gameId, candidate);
      const turns = (signal: AbortSignal | undefined) => pages.of(tenantId, signal);
      const run = { gameId, after, nowMs: ctx.clock.now(), days, sample, turns };
      const resultOf = async (options: Pick<BackTest, 'signal' | 'onProgress'>) => {
        const outcome = await backTest(ctx.pool, rebuilds, { ...run, ...options });
        return outcome.outcome === 'done' ? outcome.result : null;
      };
      return startLongWork(ctx, reply, {
        query,
        slot: semaphore.of(tenantId),
        job: {
          gameId,
          kind: 'back_test',
          subject: { revision, version: candidate.version ?? null, days },
          actor: actorNow(),
        },
        asJob: ({ signal, tell }) =>
          resultOf({ signal, onProgress: ({ examined, total }) => tell({ done: examined, total }) }),
        what: 'a back-test',
        async asLines({ signal, write, tell }) {
          const result = await resultOf({ signal, onProgress: tell });
          if (result !== null) write({ result });
        },
      });
    },
  });
}
