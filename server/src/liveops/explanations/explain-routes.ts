import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { ApiError, busy } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { hangUpOf } from '../../platform/http/hang-up.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { type ExplainOutcome, type ExplainRequest, type Explanation, explain } from './explain.js';
import { ExplainBody, ExplainEnvelope, ExplainResponse } from './explain-schemas.js';
import { readInstant } from './instant.js';
import { createRebuildPool } from './rebuild-connections.js';

/**
 * A rebuild keeps a core of the database busy, which also serves players. Each studio may run one at a time, so that no studio
 * blocks the others.
 */
const REBUILDS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 10 };
/** Longer than most rebuilds take. */
const RETRY_AFTER_SECONDS = 1;

/** Explanations: why a player gets their flags, segments, offers, store, values and experiments. */
export function explainRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');
  const semaphore = createFairSemaphore(REBUILDS);
  const rebuilds = createRebuildPool(ctx.databaseUrl, REBUILDS.maxConcurrent);
  app.addHook('onClose', () => rebuilds.end());

  routes.post('/admin/v1/games/:game/explain', {
    role: 'viewer',
    operationId: 'explain',
    summary: 'Why a player gets their flags, segments, offers, store, values and experiments',
    description:
      'For a player or a hypothetical one, at any time, under any version, the draft or a document that is not saved. Changes nothing.',
    ...bodyCheckedAs(ExplainBody, ExplainEnvelope),
    response: { 200: ExplainResponse },
    errors: [...BODY_ERRORS, 'player_not_found', 'version_not_found', 'document_invalid', 'busy'],
    handle: async ({ gameId, admin, body, reply }) => {
      const signal = hangUpOf(reply);
      const { pool, clock } = ctx;
      const asked: ExplainRequest = { gameId, ...questionOf(body) };
      const own = semaphore.of(admin.tenantId, signal);
      const outcome = await explain({ pool, rebuilds, clock, semaphore: own, signal }, asked).catch(
        (error) => {
          // Only for the log: the client has disconnected.
          throw signal.aborted ? new ApiError('request_timeout', { cause: error }) : error;
        },
      );
      return explanationOf(outcome);
    },
  });
}

function questionOf({
  playerId,
  hypothetical,
  at,
  version,
  document,
}: ExplainEnvelope): Omit<ExplainRequest, 'gameId'> {
  const atMs = at === undefined ? undefined : readInstant(at);
  if (at !== undefined && atMs === undefined)
    throw invalid('at must be a time such as 2026-11-15T12:00:00Z.');
  if ((playerId === undefined) === (hypothetical === undefined)) {
    throw invalid('Send either playerId or hypothetical.');
  }
  if (document !== undefined && version !== undefined)
    throw invalid('Send either document or version, not both.');
  const player = playerId === undefined ? { hypothetical } : { userId: playerId };
  return { player, atMs, version: document === undefined ? version : { document } };
}

function explanationOf(outcome: ExplainOutcome): Explanation {
  switch (outcome.outcome) {
    case 'explained':
      return outcome.explanation;
    case 'player_not_found':
      throw new ApiError(
        'player_not_found',
        outcome.firstSeenAt === null
          ? {}
          : { message: `The player was first seen later, at ${toTime(outcome.firstSeenAt)}.` },
      );
    case 'version_not_found':
      throw new ApiError('version_not_found');
    case 'document_invalid':
      throw new ApiError('document_invalid', { details: { problems: outcome.problems } });
    case 'facts_invalid':
      throw invalid(outcome.message);
    case 'busy':
      throw busy(RETRY_AFTER_SECONDS);
  }
}

function invalid(message: string): ApiError {
  return new ApiError('body_invalid', { message });
}
