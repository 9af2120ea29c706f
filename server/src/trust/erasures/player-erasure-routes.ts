import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
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
import { DAY_MS } from '../../platform/lib/day.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { upsertErasureCode } from './code-queries.js';
import { codeOf } from './erasure-code.js';
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

const ErasureCode = Type.Object(
  {
    data: Type.Object({
      code: Type.String({ description: 'Twelve letters in three groups.' }),
      expiresAt: Type.String({ description: '90 days after this response.' }),
      page: Type.String({ description: 'The path of the page on this API, where the code is entered.' }),
    }),
    status: Type.Literal('success'),
  },
  {
    title: 'ErasureCode',
    examples: [
      {
        data: {
          code: 'BCDF-GHJK-LMNP',
          expiresAt: '2027-02-16T12:00:00.000Z',
          page: '/erase/demo-studio/demo-game',
        },
        status: 'success',
      },
    ],
  },
);

/** For a person who removes the game now, and thinks of the data some weeks later. */
const CODE_DAYS = 90;

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

  app.post(
    '/v1/player/erasure_code',
    {
      schema: {
        tags: ['Player'],
        security: BEARER,
        headers: PlayerHeaders,
        operationId: 'showErasureCode',
        summary: 'A code with which the player can ask for erasure without the game',
        description:
          'For a game to show, so that the player can ask on the page of the game after it was removed. The same code is returned until it expires or the player asks for erasure, and each call lets it hold for 90 days more. The studio turns the page on for a game.',
        response: {
          200: ErasureCode,
          ...errorResponses('data', [...PLAYER_GUARD_ERRORS, 'erasure_page_off']),
        },
      },
    },
    async (request) => {
      const { claims, player } = authenticated(request);
      const { gameId, playerId, userId } = player;
      const hashes = await ctx.erasureHashes();
      const codeAt = (createdAt: number) => codeOf(hashes.codeSeed(userId, createdAt));
      const nowMs = ctx.clock.now();
      const expiresAt = nowMs + CODE_DAYS * DAY_MS;
      const codeHash = hashes.code(gameId, codeAt(nowMs));
      const createdAt = await upsertErasureCode(ctx.pool, { playerId, codeHash, nowMs, expiresAt });
      if (createdAt === undefined) throw new ApiError('erasure_page_off');
      const page = `/erase/${claims.tenantId}/${claims.gameId}`;
      return {
        data: { code: codeAt(createdAt), expiresAt: isoTime(expiresAt), page },
        status: 'success' as const,
      };
    },
  );
}
