import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { readUserId } from '../../core/players/player-parameter.js';
import { ApiError } from '../../platform/errors.js';
import {
  BODY_ERRORS,
  errorResponses,
  SERVER_GUARD_ERRORS,
  SERVER_KEY,
  ServerHeaders,
} from '../../platform/http/api-schemas.js';
import { withSchemaTypes } from '../../platform/http/validation.js';
import { attachDevice, detachDevice } from './attach-device.js';
import { updateAgeGroup } from './served-player-queries.js';
import { deviceIdOf, devicePlace, type ServerContext } from './server-context.js';
import { requireServer, serverKeyOf } from './server-guard.js';
import { PlayerParameters } from './server-player-routes.js';

const USER_ID_EXAMPLE = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

const DeviceParameters = Type.Object({
  deviceId: Type.String({ description: 'As in the logins of the device', examples: ['device-7'] }),
});
const AttachBody = Type.Object(
  { userId: Type.String({ description: 'The player that the device belongs to from its next login on' }) },
  { title: 'AttachDeviceRequest', examples: [{ userId: USER_ID_EXAMPLE }] },
);
const AttachedDevice = Type.Object(
  {
    data: Type.Object({ deviceId: Type.String(), userId: Type.String({ format: 'uuid' }) }),
    status: Type.Literal('success'),
  },
  {
    title: 'AttachedDevice',
    examples: [{ data: { deviceId: 'device-7', userId: USER_ID_EXAMPLE }, status: 'success' }],
  },
);
const DetachedDevice = Type.Object(
  { data: Type.Object({ deviceId: Type.String() }), status: Type.Literal('success') },
  { title: 'DetachedDevice', examples: [{ data: { deviceId: 'device-7' }, status: 'success' }] },
);

const AgeGroup = Type.Union(
  [Type.Literal('child'), Type.Literal('teen'), Type.Literal('adult'), Type.Null()],
  { description: 'null: not known' },
);
const PlayerBody = Type.Object(
  { ageGroup: AgeGroup },
  { title: 'ChangePlayerRequest', examples: [{ ageGroup: 'child' }] },
);
const ChangedPlayer = Type.Object(
  {
    data: Type.Object({ userId: Type.String({ format: 'uuid' }), ageGroup: AgeGroup }),
    status: Type.Literal('success'),
  },
  {
    title: 'ChangedPlayer',
    examples: [{ data: { userId: USER_ID_EXAMPLE, ageGroup: 'child' as const }, status: 'success' }],
  },
);

/** What the studio's own servers decide about devices and players. */
export function serverChangeRoutes(app: FastifyInstance, ctx: ServerContext): void {
  app.addHook('onRequest', requireServer(ctx, 'players:write'));
  const common = { tags: ['Server'], security: SERVER_KEY, headers: ServerHeaders };
  const routes = withSchemaTypes(app);

  routes.put(
    '/v1/server/devices/:deviceId',
    {
      schema: {
        ...common,
        operationId: 'attachDevice',
        summary: 'Attach a device to a player',
        description:
          'From its next login on the device belongs to this player: so a player of your own accounts comes back on a new phone. Sessions of the device under its former player end.',
        params: DeviceParameters,
        body: AttachBody,
        response: {
          200: AttachedDevice,
          ...errorResponses('data', [
            ...SERVER_GUARD_ERRORS,
            ...BODY_ERRORS,
            'parameter_invalid',
            'player_not_found',
          ]),
        },
      },
    },
    async (request) => {
      const { gameId } = serverKeyOf(request);
      const deviceId = deviceIdOf(request.params.deviceId);
      const userId = readUserId(request.body.userId);
      await attachDevice(ctx.pool, devicePlace(ctx, gameId, deviceId), userId, ctx.clock.now());
      return { data: { deviceId, userId }, status: 'success' as const };
    },
  );

  routes.delete(
    '/v1/server/devices/:deviceId',
    {
      schema: {
        ...common,
        operationId: 'detachDevice',
        summary: 'Give a device back to the player that it had before it was attached',
        description: 'If it had none, its next login creates one. Its sessions under the present player end.',
        params: DeviceParameters,
        response: {
          200: DetachedDevice,
          ...errorResponses('data', [...SERVER_GUARD_ERRORS, 'parameter_invalid', 'device_not_attached']),
        },
      },
    },
    async (request) => {
      const { gameId } = serverKeyOf(request);
      const deviceId = deviceIdOf(request.params.deviceId);
      await detachDevice(ctx.pool, devicePlace(ctx, gameId, deviceId));
      return { data: { deviceId }, status: 'success' as const };
    },
  );

  routes.patch(
    '/v1/server/players/:userId',
    {
      schema: {
        ...common,
        operationId: 'changePlayer',
        summary: 'Say which age group a player belongs to',
        params: PlayerParameters,
        body: PlayerBody,
        response: {
          200: ChangedPlayer,
          ...errorResponses('data', [...SERVER_GUARD_ERRORS, ...BODY_ERRORS, 'player_not_found']),
        },
      },
    },
    async (request) => {
      const { gameId } = serverKeyOf(request);
      const userId = readUserId(request.params.userId);
      const { ageGroup } = request.body;
      const isKnown = await updateAgeGroup(ctx.pool, gameId, userId, ageGroup, ctx.clock.now());
      if (!isKnown) throw new ApiError('player_not_found');
      return { data: { userId, ageGroup }, status: 'success' as const };
    },
  );
}
