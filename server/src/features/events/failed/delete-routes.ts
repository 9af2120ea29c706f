import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../../admin/admin-context.js';
import { gameErrors } from '../../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, successOf } from '../../../admin/admin-responses.js';
import { ApiError } from '../../../errors.js';
import { BODY_ERRORS } from '../../../http/api-schemas.js';
import { withSchemaTypes } from '../../../http/validation.js';
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
  const common = adminSchema('Events');
  const routes = withSchemaTypes(app);
  const editor = requireRole(ctx, 'editor');

  routes.delete(
    '/admin/v1/games/:game/failed-events/:id',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'deleteFailedEvent',
        summary: 'Delete an entry of the inbox, open or replayed',
        params: EntryParameters,
        response: { 200: DeletedEntriesResponse, ...gameErrors(['failed_event_not_found']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const id = checkedEntry(request.params.id);
      if (!(await deleteFailedEvent(ctx.pool, gameId, id, actorOf(ctx, request))))
        throw new ApiError('failed_event_not_found');
      return success({ deleted: 1, isMore: false });
    },
  );

  routes.delete(
    '/admin/v1/games/:game/failed-events',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'deleteFailedEvents',
        summary: 'Delete all open entries of a group',
        description:
          'Those that arrive meanwhile, and those that are being replayed, stay. It cannot be undone.',
        params: GameParameters,
        body: ReplayGroupBody,
        response: { 200: DeletedEntriesResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { reason, eventType } = request.body;
      const group = { gameId, code: reason, ...(eventType === undefined ? {} : { eventType }) };
      return success(await deleteFailedGroup(ctx.pool, group, actorOf(ctx, request)));
    },
  );
}
