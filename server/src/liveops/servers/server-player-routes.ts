import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { readUserId } from '../../core/players/player-parameter.js';
import { playerReads } from '../../core/players/player-routes.js';
import {
  PlayerSegments,
  PlayerStatus,
  PlayerValues,
  StoreConfig,
} from '../../core/players/player-schemas.js';
import { predictionsRead } from '../../core/predictions/prediction-routes.js';
import { PlayerPredictions } from '../../core/predictions/prediction-schemas.js';
import { ApiError } from '../../platform/errors.js';
import {
  CachedServerHeaders,
  ETAG_HEADER,
  errorResponses,
  NotModified,
  SERVER_GUARD_ERRORS,
  SERVER_KEY,
  ServerHeaders,
} from '../../platform/http/api-schemas.js';
import { withSchemaTypes } from '../../platform/http/validation.js';
import { limitInFlight } from '../../platform/overload/shedding.js';
import { findPlayersOfGame, findUserOfDevice } from './served-player-queries.js';
import { deviceIdOf, devicePlace, type ServerContext } from './server-context.js';
import { requireServer, serverKeyOf } from './server-guard.js';

export const PlayerParameters = Type.Object({
  userId: Type.String({
    description: '`userId` of a login',
    examples: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
  }),
});
const FoundPlayer = Type.Object(
  {
    data: Type.Object({ userId: Type.String({ format: 'uuid' }) }),
    status: Type.Literal('success'),
  },
  {
    title: 'FoundPlayer',
    examples: [{ data: { userId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a' }, status: 'success' }],
  },
);

/** What the studio's own servers read about a player: the bodies of the player API. */
export function serverPlayerRoutes(app: FastifyInstance, ctx: ServerContext): void {
  const maxWaitMs = 2 * ctx.settings.maxWaitMs;
  app.addHook('onRequest', limitInFlight({ shedding: ctx.shedding, form: 'data', maxWaitMs }));
  app.addHook('onRequest', requireServer(ctx, 'players:read'));
  const common = { tags: ['Server'], security: SERVER_KEY, params: PlayerParameters };
  const cached = { ...common, headers: CachedServerHeaders };
  const errors = errorResponses('data', [...SERVER_GUARD_ERRORS, 'player_not_found']);
  const preHandler = (request: FastifyRequest) => findPlayer(ctx, request);
  const reads = playerReads(ctx);

  app.get(
    '/v1/server/players/:userId/status',
    {
      preHandler,
      schema: {
        ...common,
        headers: ServerHeaders,
        operationId: 'serverPlayerStatus',
        summary: 'Whether a player is a payer',
        response: { 200: PlayerStatus, ...errors },
      },
    },
    reads.status,
  );

  app.get(
    '/v1/server/players/:userId/store_configs',
    {
      preHandler,
      schema: {
        ...cached,
        operationId: 'serverStoreConfigs',
        summary: 'The personalised store of a player',
        response: { 200: { ...StoreConfig, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    reads.store,
  );

  app.get(
    '/v1/server/players/:userId/segments',
    {
      preHandler,
      schema: {
        ...cached,
        operationId: 'serverPlayerSegments',
        summary: 'The segments that a player is in now',
        response: { 200: { ...PlayerSegments, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    reads.segments,
  );

  app.get(
    '/v1/server/players/:userId/values',
    {
      preHandler,
      schema: {
        ...cached,
        operationId: 'serverPlayerValues',
        summary: "The game's typed values for a player",
        description: 'All values, also those that clients are not told.',
        response: { 200: { ...PlayerValues, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    reads.serverValues,
  );

  app.get(
    '/v1/server/players/:userId/predictions',
    {
      preHandler,
      schema: {
        ...cached,
        operationId: 'serverPlayerPredictions',
        summary: 'What a player will probably do',
        description: 'All predictions, also those that the configuration does not show to clients.',
        response: { 200: { ...PlayerPredictions, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    predictionsRead({ clock: ctx.clock, predictions: ctx.serverPredictions }),
  );

  withSchemaTypes(app).get(
    '/v1/server/players',
    {
      schema: {
        tags: ['Server'],
        security: SERVER_KEY,
        headers: ServerHeaders,
        operationId: 'findPlayerOfDevice',
        summary: 'The player of a device',
        querystring: Type.Object({
          deviceId: Type.String({ description: 'As in the logins of the device' }),
        }),
        response: {
          200: FoundPlayer,
          ...errorResponses('data', [...SERVER_GUARD_ERRORS, 'parameter_invalid', 'player_not_found']),
        },
      },
    },
    async (request) => {
      const place = devicePlace(ctx, serverKeyOf(request).gameId, deviceIdOf(request.query.deviceId));
      const userId = await findUserOfDevice(ctx.pool, place);
      if (userId === undefined) throw new ApiError('player_not_found');
      return { data: { userId }, status: 'success' };
    },
  );
}

/** Puts the player of the path on the request, where the handlers of the player API look for it. */
async function findPlayer(ctx: ServerContext, request: FastifyRequest): Promise<void> {
  const { gameId } = serverKeyOf(request);
  const { userId } = request.params as Static<typeof PlayerParameters>;
  const [player] = await findPlayersOfGame(ctx.pool, gameId, [readUserId(userId)]);
  if (player === undefined) throw new ApiError('player_not_found');
  request.player = player;
}
