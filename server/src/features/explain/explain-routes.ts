import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { checkBodyAgainst } from '../../http/validation.js';
import { adminSchema, GameParameters, success, toTime } from '../admin/admin-answers.js';
import type { AdminContext } from '../admin/admin-context.js';
import { gameErrors } from '../admin/admin-errors.js';
import { gameOf, requireRole } from '../admin/admin-guard.js';
import { type ExplainOutcome, type ExplainRequest, type Explanation, explain } from './explain.js';
import { ExplainBody, ExplainEnvelope, ExplainResponse } from './explain-schemas.js';
import { readMoment } from './moment.js';
import { createTurns } from './turns.js';

/** A rebuild keeps a core of the database busy, which has players to serve. */
const REBUILDS = { atOnce: 2, maxWaiting: 20 };

/** Why a player sees what they see. */
export function explainRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const turns = createTurns(REBUILDS);

  app.post<{ Body: ExplainEnvelope }>(
    '/admin/v1/games/:game/explain',
    {
      onRequest: requireRole(ctx, 'viewer'),
      validatorCompiler: checkBodyAgainst(ExplainEnvelope),
      schema: {
        ...adminSchema('Players'),
        operationId: 'explain',
        summary: 'Why a player is told what they are told',
        description:
          'For a player or a hypothetical one, at any time, under any version or the draft. Nothing is changed by it.',
        params: GameParameters,
        body: ExplainBody,
        response: {
          200: ExplainResponse,
          ...gameErrors([...BODY_ERRORS, 'player_not_found', 'version_not_found']),
        },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { pool, databaseUrl, clock } = ctx;
      const asked: ExplainRequest = { gameId, ...questionOf(request.body) };
      return success(explanationOf(await explain({ pool, databaseUrl, clock, turns }, asked)));
    },
  );
}

function questionOf({
  playerId,
  hypothetical,
  at,
  version,
}: ExplainEnvelope): Omit<ExplainRequest, 'gameId'> {
  const atMs = at === undefined ? undefined : readMoment(at);
  if (at !== undefined && atMs === undefined)
    throw invalid('at must be a time such as 2026-11-15T12:00:00Z.');
  if ((playerId === undefined) === (hypothetical === undefined)) {
    throw invalid('Give a playerId or a hypothetical player, one of the two.');
  }
  const player = playerId === undefined ? { hypothetical } : { userId: playerId };
  return { player, atMs, version };
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
    case 'facts_invalid':
      throw invalid(outcome.message);
    case 'busy':
      throw new ApiError('unavailable', {
        message: 'Too many explanations are wanted at once. Try again in a moment.',
        headers: { 'retry-after': '1' },
      });
  }
}

function invalid(message: string): ApiError {
  return new ApiError('body_invalid', { message });
}
