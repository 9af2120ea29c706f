import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { readUserId, requirePlayer } from '../../core/players/player-parameter.js';
import { PlayerParameters } from '../../liveops/players/admin-player-schemas.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cutPage, pageParameters, timeCursorOf } from '../../platform/admin-api/page-cursor.js';
import { transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { UUID } from '../../platform/lib/uuid.js';
import { erasedName } from '../../platform/security/erasure-hashes.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import type { OperationsContext } from '../../studio/module-type.js';
import type { Erasure } from './erasure.js';
import { findErasure, listErasures, previewErasure } from './erasure-queries.js';
import {
  ErasureParameters,
  ErasurePreviewResponse,
  ErasureResponse,
  ErasuresResponse,
  WithdrawnErasureResponse,
} from './erasure-schemas.js';
import { requestErasure, withdrawErasure } from './request-erasure.js';
import { findErasureOfPlayer } from './request-queries.js';

const LIMITS = { max: 100, fallback: 20 };
const LIST = 'erasures';
const OF_PLAYER = '/admin/v1/games/:game/players/:playerId/erasure';
const ONE = '/admin/v1/games/:game/erasures/:erasureId';

/** Requests to erase players. Editors answer the requests of players, so they may erase as they may export. */
export function adminErasureRoutes(
  app: FastifyInstance,
  ctx: AdminContext & Pick<OperationsContext, 'erasureHashes'>,
): void {
  const routes = routesOfGame(app, ctx, 'Players');

  routes.get(OF_PLAYER, {
    role: 'viewer',
    operationId: 'previewErasure',
    summary: 'What the erasure of a player would delete, and what would stay',
    params: PlayerParameters,
    response: { 200: ErasurePreviewResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params }) => {
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const preview = await previewErasure(ctx.pool, playerId);
      if (preview === undefined) throw new ApiError('player_not_found');
      const open = await transaction(ctx.pool, (client) => findErasureOfPlayer(client, playerId));
      return {
        playerId: readUserId(params.playerId),
        ...preview,
        erasure: open === undefined ? null : toResponse(open),
      };
    },
  });

  routes.post(OF_PLAYER, {
    role: 'editor',
    operationId: 'erasePlayer',
    summary: 'Erase a player',
    description:
      'From the response on all sessions of the player have ended, no event of the player is taken, and the next login of each device creates a new player. The data is erased at `dueAt`; after that nothing brings it back. A second request returns the first one until the erasure begins; from then on the game has no such player, and the list of erasures has the receipt.',
    params: PlayerParameters,
    response: { 202: ErasureResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, actorNow }) => {
      const by = actorNow();
      const erasure = await requestErasure(ctx.pool, await ctx.erasureHashes(), {
        gameId,
        userId: readUserId(params.playerId),
        by,
      });
      if (erasure === undefined) throw new ApiError('player_not_found');
      return toResponse(erasure);
    },
  });

  routes.get('/admin/v1/games/:game/erasures', {
    role: 'viewer',
    operationId: 'listErasures',
    summary: 'Requests to erase players, newest first',
    querystring: Type.Object(pageParameters(LIMITS)),
    response: { 200: ErasuresResponse },
    handle: async ({ gameId, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const after = timeCursorOf(LIST, cursor, UUID);
      const found = await listErasures(ctx.pool, gameId, { after, limit });
      const keyOf = ({ requestedAt, erasureId }: Erasure) => [requestedAt, erasureId];
      const { page, nextCursor } = cutPage(LIST, found, limit, keyOf);
      return { erasures: page.map(toResponse), nextCursor };
    },
  });

  routes.get(ONE, {
    role: 'viewer',
    operationId: 'getErasure',
    summary: 'A request to erase a player, with its receipt',
    params: ErasureParameters,
    response: { 200: ErasureResponse },
    errors: ['erasure_not_found'],
    handle: async ({ gameId, params }) => {
      const erasure = await findErasure(ctx.pool, gameId, readErasureId(params.erasureId));
      if (erasure === undefined) throw new ApiError('erasure_not_found');
      return toResponse(erasure);
    },
  });

  routes.delete(ONE, {
    role: 'editor',
    operationId: 'withdrawErasure',
    summary: 'Withdraw a request that is not due yet',
    description:
      'The player can log in again on devices that have no other player since. Events that were sent meanwhile are lost.',
    params: ErasureParameters,
    response: { 200: WithdrawnErasureResponse },
    errors: ['erasure_not_found', 'erasure_begun'],
    handle: async ({ gameId, params, actorNow }) => {
      const erasureId = readErasureId(params.erasureId);
      if (await withdrawErasure(ctx.pool, gameId, erasureId, actorNow())) return { erasureId };
      const erasure = await findErasure(ctx.pool, gameId, erasureId);
      throw new ApiError(erasure === undefined ? 'erasure_not_found' : 'erasure_begun');
    },
  });
}

function readErasureId(text: string): string {
  if (!UUID.test(text)) throw new ApiError('erasure_not_found');
  return text;
}

function toResponse({ userId, playerHash, requestedAt, dueAt, finishedAt, gameId: _, ...erasure }: Erasure) {
  return {
    ...erasure,
    playerId: userId,
    playerHash: erasedName(playerHash),
    requestedAt: toTime(requestedAt),
    dueAt: toTime(dueAt),
    finishedAt: toTime(finishedAt),
  };
}
