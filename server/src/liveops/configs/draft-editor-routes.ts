import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { UUID } from '../../platform/lib/uuid.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import type { Admin } from '../../studio/admin-api/admin-tokens.js';
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
  const routes = routesOfGame(app, ctx, 'Draft');

  routes.get('/admin/v1/games/:game/draft/editors', {
    role: 'viewer',
    operationId: 'listDraftEditors',
    summary: 'Who has the draft open, and its revision',
    response: { 200: DraftEditorsResponse },
    handle: async ({ gameId, admin }) => editorsOf(ctx, gameId, admin.tenantId),
  });

  routes.put('/admin/v1/games/:game/draft/editors/:windowId', {
    role: 'editor',
    operationId: 'keepDraftOpen',
    summary: 'Tell the other editors that a window has the draft open',
    description: `Repeat it while the window is open, every ten seconds, say. After ${OPEN_MS / 1000} seconds without it the window counts as closed. Only for people who have signed in.`,
    params: WindowParameters,
    body: DraftOpenBody,
    response: { 200: DraftEditorsResponse },
    errors: [...BODY_ERRORS, 'account_needed'],
    handle: async ({ gameId, admin, params, body }) => {
      const nowMs = ctx.clock.now();
      const { secondsSinceChange: seconds } = body;
      const changedAt = seconds === null ? null : nowMs - seconds * 1000;
      const window = windowOf(admin, gameId, params.windowId);
      await upsertDraftEditor(ctx.pool, window, { nowMs, changedAt, expiresAt: nowMs + OPEN_MS });
      return editorsOf(ctx, gameId, admin.tenantId);
    },
  });

  routes.delete('/admin/v1/games/:game/draft/editors/:windowId', {
    role: 'editor',
    operationId: 'closeDraft',
    summary: 'Tell the other editors that a window has closed the draft',
    params: WindowParameters,
    response: { 200: DraftEditorsResponse },
    errors: ['account_needed'],
    handle: async ({ gameId, admin, params }) => {
      await deleteDraftEditor(ctx.pool, windowOf(admin, gameId, params.windowId));
      return editorsOf(ctx, gameId, admin.tenantId);
    },
  });
}

/** A window of the person who has signed in; a program has none. */
function windowOf({ accountId }: Admin, gameId: number, windowId: string): DraftWindow {
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
