import type { FastifyInstance } from 'fastify';
import type { GuardContext } from '../../core/sessions/guard-context.js';
import { authenticated, PLAYER_HEADERS, requirePlayer } from '../../core/sessions/player-guard.js';
import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import {
  BEARER,
  errorResponses,
  PLAYER_GUARD_ERRORS,
  PlayerHeaders,
} from '../../platform/http/api-schemas.js';
import type { RateLimits } from '../../platform/http/rate-limits.js';
import type { Clock } from '../../platform/lib/clock.js';
import { claimExport, releaseExport } from './export-queries.js';
import { PlayerExport } from './export-schemas.js';
import type { PlayerExports } from './player-exports.js';
import { respondWithExport } from './respond-with-export.js';

export type PlayerExportContext = GuardContext &
  Readonly<{
    pool: Pool;
    clock: Clock;
    rateLimits: Pick<RateLimits, 'player'>;
    playerExports: PlayerExports;
  }>;

/** A player's own data, for the player. To be registered in a scope of its own: it is no response that others wait for. */
export function playerExportRoutes(app: FastifyInstance, ctx: PlayerExportContext): void {
  app.addHook('preClose', async () => ctx.playerExports.stop());

  app.get(
    '/v1/player/export',
    {
      onRequest: requirePlayer(ctx, { headers: PLAYER_HEADERS, limit: ctx.rateLimits.player }),
      // Whoever asks for the headers alone must not use up the hour.
      exposeHeadRoute: false,
      config: { isLive: true },
      schema: {
        tags: ['Player'],
        security: BEARER,
        headers: PlayerHeaders,
        operationId: 'playerExport',
        summary: 'Everything that is stored about the player, as one JSON document',
        description:
          'Streamed, of one state of the database. A player may take one export an hour: `rate_limited` with `Retry-After` otherwise. An export ends unfinished if its reader takes nothing for a minute, or ten minutes for all of it; it is then not valid JSON.',
        response: { 200: PlayerExport, ...errorResponses('data', PLAYER_GUARD_ERRORS) },
      },
    },
    async (request, reply) => {
      const { claims, player } = authenticated(request);
      const { playerId, gameId, userId } = player;
      const nowMs = ctx.clock.now();
      const outcome = await respondWithExport(ctx.playerExports, reply, {
        gameId,
        userId,
        nowMs,
        studio: claims.tenantId,
        tooMany: 'unavailable',
        begin: async () => {
          const waitMs = await claimExport(ctx.pool, playerId, nowMs);
          if (waitMs > 0) throw limited(waitMs);
        },
      });
      if (outcome === 'failed') await releaseExport(ctx.pool, playerId);
      return reply;
    },
  );
}

function limited(waitMs: number): ApiError {
  return new ApiError('rate_limited', {
    message: 'A player may take one export an hour. Wait for Retry-After seconds.',
    headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
  });
}
