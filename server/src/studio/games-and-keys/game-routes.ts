import type { FastifyInstance } from 'fastify';
import { cutIdPage, PageParameters, pageOf } from '../../platform/admin-api/keyset-page.js';
import { isSlug, SLUG, SLUG_RULE } from '../../platform/admin-api/tenants.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { routesOfGame, routesOfStudio } from '../admin-api/admin-routes.js';
import {
  countGamesOfTenant,
  findListedGame,
  type ListedGame,
  listGamesOfTenant,
} from '../admin-api/game-queries.js';
import {
  CreatedGameResponse,
  GameBody,
  GameResponse,
  GameSettingsResponse,
  GamesResponse,
  NewGameBody,
} from './game-schemas.js';
import { createGame, updateGameSettings } from './tenant-changes.js';

/** Maintenance looks at each game. Commands, which an operator runs, have no such limit. */
const MAX_GAMES = 100;

/** The games of the studio. Owners create games and change their settings. */
export function gameRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const ofStudio = routesOfStudio(app, ctx, 'Studio');
  const ofGame = routesOfGame(app, ctx, 'Studio');

  ofStudio.get('/admin/v1/games', {
    role: 'viewer',
    operationId: 'listGames',
    summary: 'The games of the studio, by id',
    querystring: PageParameters,
    response: { 200: GamesResponse },
    handle: async ({ admin, query }) => {
      const page = pageOf(query, SLUG);
      const found = await listGamesOfTenant(ctx.pool, admin.tenantId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ game }) => game);
      return { games: rows.map(toResponse), nextCursor };
    },
  });

  ofGame.get('/admin/v1/games/:game', {
    role: 'viewer',
    operationId: 'getGame',
    summary: 'A game of the studio',
    response: { 200: GameResponse },
    handle: async ({ gameId }) => {
      const found = await findListedGame(ctx.pool, gameId);
      if (found === undefined) throw new ApiError('game_not_found');
      return toResponse(found);
    },
  });

  ofStudio.post('/admin/v1/games', {
    role: 'owner',
    operationId: 'createGame',
    summary: 'Create a game; it has no key and an empty store yet',
    body: NewGameBody,
    response: { 201: CreatedGameResponse },
    errors: [...BODY_ERRORS, 'game_exists', 'game_limit'],
    handle: async ({ admin: { tenant, tenantId }, body, actorNow }) => {
      const { gameId, name = gameId } = body;
      if (!isSlug(gameId)) {
        throw new ApiError('body_invalid', { message: `gameId cannot be "${gameId}": use ${SLUG_RULE}.` });
      }
      // Requests at the same time may pass the limit by a few, which does no harm.
      const games = await countGamesOfTenant(ctx.pool, tenantId, MAX_GAMES);
      if (games >= MAX_GAMES) throw new ApiError('game_limit');
      const added = { tenant, slug: gameId, name: name.trim() };
      if (!(await createGame(ctx.pool, added, actorNow()))) throw new ApiError('game_exists');
      return { gameId, name: added.name };
    },
  });

  ofGame.patch('/admin/v1/games/:game', {
    role: 'owner',
    operationId: 'updateGame',
    summary: 'Change the settings of a game',
    description:
      'Its name, how long its events are kept, which event types it takes, for how long an erasure can be withdrawn, and whether it has a page for requests of erasure. With a shorter retention, the next hourly maintenance deletes events for good. A longer retention brings no events back. Every node obeys `unregisteredTypes` with its next request. Events that were held back stay in the inbox until they are replayed.',
    body: GameBody,
    response: { 200: GameSettingsResponse },
    errors: BODY_ERRORS,
    handle: async ({ gameId, body, actorNow }) => {
      const { name, retentionDays, unregisteredTypes, erasureWaitDays, erasurePage } = body;
      if (Object.keys(body).length === 0) {
        throw new ApiError('body_invalid', {
          message:
            'Send what to change: name, retentionDays, unregisteredTypes, erasureWaitDays or erasurePage.',
        });
      }
      const settings = {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(retentionDays === undefined ? {} : { retentionDays }),
        ...(unregisteredTypes === undefined ? {} : { unregisteredTypes }),
        ...(erasureWaitDays === undefined ? {} : { erasureWaitDays }),
        ...(erasurePage === undefined ? {} : { erasurePage }),
      };
      const { slug, ...now } = await updateGameSettings(ctx.pool, gameId, settings, actorNow());
      return { gameId: slug, ...now };
    },
  });
}

function toResponse({ game, draftRevision, isDraftEdited, ...settings }: ListedGame) {
  return { gameId: game, draft: { revision: draftRevision, isEdited: isDraftEdited }, ...settings };
}
