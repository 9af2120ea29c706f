import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { adminOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { UUID } from '../../lib/uuid.js';
import {
  type DraftWindow,
  deleteDraftEditor,
  findDraftState,
  listDraftEditors,
  upsertDraftEditor,
} from './draft-editor-queries.js';
import { DraftEditorsResponse, DraftOpenBody, WindowParameters } from './draft-editor-schemas.js';

/** Longer than a minute, because browsers wake a window in the background once a minute only. */
const OPEN_MS = 90_000;

/** Who has the draft open: two people who edit are told of each other before one of them saves. */
export function draftEditorRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = withSchemaTypes(app);
  const common = adminSchema('Draft');
  const editor = requireRole(ctx, 'editor');

  app.get(
    '/admin/v1/games/:game/draft/editors',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...common,
        operationId: 'listDraftEditors',
        summary: 'Who has the draft open, and its revision',
        params: GameParameters,
        response: { 200: DraftEditorsResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      return success(await editorsOf(ctx, gameId, adminOf(request).tenantId));
    },
  );

  routes.put(
    '/admin/v1/games/:game/draft/editors/:windowId',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'keepDraftOpen',
        summary: 'Tell the other editors that a window has the draft open',
        description: `Repeat it while the window is open, every ten seconds, say. After ${OPEN_MS / 1000} seconds without it the window counts as closed. Only for people who have signed in.`,
        params: WindowParameters,
        body: DraftOpenBody,
        response: {
          200: DraftEditorsResponse,
          ...gameErrors(['parameter_invalid', ...BODY_ERRORS, 'account_needed']),
        },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const nowMs = ctx.clock.now();
      const { secondsSinceChange: seconds } = request.body;
      const changedAt = seconds === null ? null : nowMs - seconds * 1000;
      const window = windowOf(request, gameId, request.params.windowId);
      await upsertDraftEditor(ctx.pool, window, { nowMs, changedAt, expiresAt: nowMs + OPEN_MS });
      return success(await editorsOf(ctx, gameId, adminOf(request).tenantId));
    },
  );

  routes.delete(
    '/admin/v1/games/:game/draft/editors/:windowId',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'closeDraft',
        summary: 'Tell the other editors that a window has closed the draft',
        params: WindowParameters,
        response: { 200: DraftEditorsResponse, ...gameErrors(['parameter_invalid', 'account_needed']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      await deleteDraftEditor(ctx.pool, windowOf(request, gameId, request.params.windowId));
      return success(await editorsOf(ctx, gameId, adminOf(request).tenantId));
    },
  );
}

/** A window of the person who has signed in; a program has none. */
function windowOf(request: FastifyRequest, gameId: number, windowId: string): DraftWindow {
  const { accountId } = adminOf(request);
  if (accountId === null) throw new ApiError('account_needed');
  if (!UUID.test(windowId)) {
    throw new ApiError('parameter_invalid', { message: '`windowId` must be a UUID, such as a random one.' });
  }
  return { gameId, accountId, windowId };
}

async function editorsOf(ctx: AdminContext, gameId: number, tenantId: number) {
  const state = await findDraftState(ctx.pool, gameId);
  const editors = await listDraftEditors(ctx.pool, { gameId, tenantId }, ctx.clock.now());
  return {
    ...state,
    updatedAt: toTime(state.updatedAt),
    editors: editors.map(({ openedAt, changedAt, ...each }) => ({
      ...each,
      openedAt: toTime(openedAt),
      changedAt: toTime(changedAt),
    })),
  };
}
