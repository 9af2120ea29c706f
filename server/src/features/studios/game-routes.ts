import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.js';
import { adminSchema, GameParameters, success } from '../../http/admin-responses.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import type { AdminContext } from './admin-context.js';
import { gameErrors } from './admin-errors.js';
import { actorOf, gameOf, requireRole } from './admin-guard.js';
import { GameBody, GameSettingsResponse } from './game-schemas.js';
import { updateGameSettings } from './tenant-changes.js';

/** The settings of a game, for the owners of its studio. */
export function gameRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = withSchemaTypes(app);

  routes.patch(
    '/admin/v1/games/:game',
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...adminSchema('Studio'),
        operationId: 'updateGame',
        summary: 'Change the name of a game, how long its events are kept, or which event types it takes',
        description:
          'With a shorter retention, the next hourly maintenance deletes events for good. A longer retention brings no events back. Every node obeys `unregisteredTypes` with its next request. Events that were held back stay in the inbox until they are replayed.',
        params: GameParameters,
        body: GameBody,
        response: { 200: GameSettingsResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { name, retentionDays, unregisteredTypes } = request.body;
      if (name === undefined && retentionDays === undefined && unregisteredTypes === undefined) {
        throw new ApiError('body_invalid', {
          message: 'Send what to change: name, retentionDays or unregisteredTypes.',
        });
      }
      const settings = {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(retentionDays === undefined ? {} : { retentionDays }),
        ...(unregisteredTypes === undefined ? {} : { unregisteredTypes }),
      };
      const { slug, ...now } = await updateGameSettings(ctx.pool, gameId, settings, actorOf(ctx, request));
      return success({ gameId: slug, ...now });
    },
  );
}
