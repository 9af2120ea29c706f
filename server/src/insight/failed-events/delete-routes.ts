import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { successOf } from '../../platform/admin-api/admin-responses.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { deleteFailedEvent, deleteFailedGroup } from './delete-failed.js';
import { checkedEntry, EntryParameters } from './failed-event-routes.js';
import { ReplayGroupBody } from './failed-event-schemas.js';

const DeletedEntriesResponse = successOf(
  'DeletedEntriesResponse',
  Type.Object({
    deleted: Type.Integer({ description: 'How many entries are gone' }),
    isMore: Type.Boolean({ description: 'There are more than a request deletes: send the same again' }),
  }),
  { example: { deleted: 412, isMore: false } },
);

/** Refused events that nobody will correct. */
export function deleteFailedRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Events');

  routes.delete('/admin/v1/games/:game/failed-events/:id', {
    role: 'editor',
    operationId: 'deleteFailedEvent',
    summary: 'Delete an entry of the inbox, open or replayed',
    params: EntryParameters,
    response: { 200: DeletedEntriesResponse },
    errors: ['failed_event_not_found'],
    handle: async ({ gameId, params, actorNow }) => {
      const id = checkedEntry(params.id);
      if (!(await deleteFailedEvent(ctx.pool, gameId, id, actorNow())))
        throw new ApiError('failed_event_not_found');
      return { deleted: 1, isMore: false };
    },
  });

  routes.delete('/admin/v1/games/:game/failed-events', {
    role: 'editor',
    operationId: 'deleteFailedEvents',
    summary: 'Delete all open entries of a group',
    description: 'Those that arrive meanwhile, and those that are being replayed, stay. It cannot be undone.',
    body: ReplayGroupBody,
    response: { 200: DeletedEntriesResponse },
    errors: BODY_ERRORS,
    handle: async ({ gameId, body, actorNow }) => {
      const { reason, eventType } = body;
      const group = { gameId, code: reason, ...(eventType === undefined ? {} : { eventType }) };
      return deleteFailedGroup(ctx.pool, group, actorNow());
    },
  });
}
