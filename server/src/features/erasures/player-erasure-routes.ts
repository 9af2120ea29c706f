import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Pool } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { BEARER, errorResponses, PLAYER_GUARD_ERRORS, PlayerHeaders } from '../../http/api-schemas.js';
import type { RateLimits } from '../../http/rate-limits.js';
import type { Clock } from '../../lib/clock.js';
import { isoTime } from '../../lib/iso-time.js';
import type { ErasureHashes } from '../../security/erasure-hashes.js';
import { authenticated, PLAYER_HEADERS, requirePlayer } from '../sessions/player-guard.js';
import type { GuardContext } from '../sessions/session-context.js';
import { requestErasure } from './request-erasure.js';

export type PlayerErasureContext = GuardContext &
  Readonly<{
    pool: Pool;
    clock: Clock;
    rateLimits: Pick<RateLimits, 'player'>;
    erasureHashes: () => Promise<ErasureHashes>;
  }>;

const RequestedErasure = Type.Object(
  {
    data: Type.Object({
      erasureId: Type.String({ description: 'Names the request to the studio.' }),
      dueAt: Type.String({
        description: 'When the data is erased. Until then the studio can withdraw the request.',
      }),
    }),
    status: Type.Literal('success'),
  },
  {
    title: 'RequestedErasure',
    examples: [
      {
        data: { erasureId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a', dueAt: '2026-11-18T12:00:00.000Z' },
        status: 'success',
      },
    ],
  },
);

/** App stores want players to be able to delete their account in the app. */
export function playerErasureRoutes(app: FastifyInstance, ctx: PlayerErasureContext): void {
  app.addHook('onRequest', requirePlayer(ctx, { headers: PLAYER_HEADERS, limit: ctx.rateLimits.player }));

  app.delete(
    '/v1/player',
    {
      schema: {
        tags: ['Player'],
        security: BEARER,
        headers: PlayerHeaders,
        operationId: 'deletePlayer',
        summary: 'Erases the player',
        description:
          'From the response on all tokens of the player are refused, and the next login of each of its devices creates a new player. Everything that is stored about the player is erased at `dueAt`: at once, unless the studio has set a time in which requests can be withdrawn.',
        response: { 202: RequestedErasure, ...errorResponses('data', PLAYER_GUARD_ERRORS) },
      },
    },
    async (request, reply) => {
      const { gameId, userId } = authenticated(request).player;
      const by = { player: true, nowMs: ctx.clock.now() } as const;
      const erasure = await requestErasure(ctx.pool, await ctx.erasureHashes(), { gameId, userId, by });
      if (erasure === undefined) throw new ApiError('session_ended');
      const { erasureId, dueAt } = erasure;
      return reply.code(202).send({ data: { erasureId, dueAt: isoTime(dueAt) }, status: 'success' });
    },
  );
}
