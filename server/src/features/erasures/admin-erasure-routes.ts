import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import { cutPage, pageParameters, timeCursorOf } from '../../admin/page-cursor.js';
import { transaction } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { withSchemaTypes } from '../../http/validation.js';
import { UUID } from '../../lib/uuid.js';
import { createErasureHashes, erasedName } from '../../security/erasure-hashes.js';
import { PlayerParameters } from '../players/admin-player-schemas.js';
import { playerOf, userIdOf } from '../players/player-parameter.js';
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
export function adminErasureRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const common = adminSchema('Players');
  const routes = withSchemaTypes(app);
  const [viewer, editor] = [requireRole(ctx, 'viewer'), requireRole(ctx, 'editor')];
  const hashes = createErasureHashes(ctx.pool, async () => ctx.masterKeys);

  routes.get(
    OF_PLAYER,
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'previewErasure',
        summary: 'What the erasure of a player would delete, and what would stay',
        params: PlayerParameters,
        response: { 200: ErasurePreviewResponse, ...gameErrors(['player_not_found']) },
      },
    },
    async (request) => {
      const playerId = await playerOf(ctx, request);
      const preview = await previewErasure(ctx.pool, playerId);
      if (preview === undefined) throw new ApiError('player_not_found');
      const open = await transaction(ctx.pool, (client) => findErasureOfPlayer(client, playerId));
      return success({
        playerId: userIdOf(request),
        ...preview,
        erasure: open === undefined ? null : toResponse(open),
      });
    },
  );

  routes.post(
    OF_PLAYER,
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'erasePlayer',
        summary: 'Erase a player',
        description:
          'From the response on all sessions of the player have ended, no event of the player is taken, and the next login of each device creates a new player. The data is erased at `dueAt`; after that nothing brings it back. A second request returns the first one.',
        params: PlayerParameters,
        response: { 202: ErasureResponse, ...gameErrors(['player_not_found']) },
      },
    },
    async (request, reply) => {
      const { gameId } = await gameOf(ctx, request);
      const by = actorOf(ctx, request);
      const erasure = await requestErasure(ctx.pool, await hashes(), {
        gameId,
        userId: userIdOf(request),
        by,
      });
      if (erasure === undefined) throw new ApiError('player_not_found');
      return reply.code(202).send(success(toResponse(erasure)));
    },
  );

  routes.get(
    '/admin/v1/games/:game/erasures',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'listErasures',
        summary: 'Requests to erase players, newest first',
        params: GameParameters,
        querystring: Type.Object(pageParameters(LIMITS)),
        response: { 200: ErasuresResponse, ...gameErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { cursor, limit = LIMITS.fallback } = request.query;
      const after = timeCursorOf(LIST, cursor, UUID);
      const found = await listErasures(ctx.pool, gameId, { after, limit });
      const keyOf = ({ requestedAt, erasureId }: Erasure) => [requestedAt, erasureId];
      const { page, nextCursor } = cutPage(LIST, found, limit, keyOf);
      return success({ erasures: page.map(toResponse), nextCursor });
    },
  );

  routes.get(
    ONE,
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'getErasure',
        summary: 'A request to erase a player, with its receipt',
        params: ErasureParameters,
        response: { 200: ErasureResponse, ...gameErrors(['erasure_not_found']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const erasure = await findErasure(ctx.pool, gameId, erasureIdOf(request));
      if (erasure === undefined) throw new ApiError('erasure_not_found');
      return success(toResponse(erasure));
    },
  );

  routes.delete(
    ONE,
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'withdrawErasure',
        summary: 'Withdraw a request that is not due yet',
        description:
          'The player can log in again on devices that have no other player since. Events that were sent meanwhile are lost.',
        params: ErasureParameters,
        response: { 200: WithdrawnErasureResponse, ...gameErrors(['erasure_not_found', 'erasure_begun']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const erasureId = erasureIdOf(request);
      if (await withdrawErasure(ctx.pool, gameId, erasureId, actorOf(ctx, request)))
        return success({ erasureId });
      const erasure = await findErasure(ctx.pool, gameId, erasureId);
      throw new ApiError(erasure === undefined ? 'erasure_not_found' : 'erasure_begun');
    },
  );
}

function erasureIdOf(request: FastifyRequest): string {
  const { erasureId = '' } = request.params as { erasureId?: string };
  if (!UUID.test(erasureId)) throw new ApiError('erasure_not_found');
  return erasureId;
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
