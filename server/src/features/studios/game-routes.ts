import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { adminErrors, gameErrors } from '../../admin/admin-errors.js';
import { actorOf, adminOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success } from '../../admin/admin-responses.js';
import {
  countGamesOfTenant,
  findListedGame,
  type ListedGame,
  listGamesOfTenant,
} from '../../admin/game-queries.js';
import { cutIdPage, PageParameters, pageOf } from '../../admin/keyset-page.js';
import { isSlug, SLUG, SLUG_RULE } from '../../admin/tenants.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
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
  const routes = withSchemaTypes(app);

  routes.get(
    '/admin/v1/games',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Studio'),
        operationId: 'listGames',
        summary: 'The games of the studio, by id',
        querystring: PageParameters,
        response: { 200: GamesResponse, ...adminErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const page = pageOf(request.query, SLUG);
      const found = await listGamesOfTenant(ctx.pool, adminOf(request).tenantId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ game }) => game);
      return success({ games: rows.map(toResponse), nextCursor });
    },
  );

  routes.get(
    '/admin/v1/games/:game',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Studio'),
        operationId: 'getGame',
        summary: 'A game of the studio',
        params: GameParameters,
        response: { 200: GameResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const found = await findListedGame(ctx.pool, gameId);
      if (found === undefined) throw new ApiError('game_not_found');
      return success(toResponse(found));
    },
  );

  routes.post(
    '/admin/v1/games',
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...adminSchema('Studio'),
        operationId: 'createGame',
        summary: 'Create a game; it has no key and an empty store yet',
        body: NewGameBody,
        response: {
          201: CreatedGameResponse,
          ...adminErrors([...BODY_ERRORS, 'game_exists', 'game_limit']),
        },
      },
    },
    async (request, reply) => {
      const { gameId, name = gameId } = request.body;
      if (!isSlug(gameId)) {
        throw new ApiError('body_invalid', { message: `gameId cannot be "${gameId}": use ${SLUG_RULE}.` });
      }
      const { tenant, tenantId } = adminOf(request);
      // Requests at the same time may pass the limit by a few, which does no harm.
      const games = await countGamesOfTenant(ctx.pool, tenantId, MAX_GAMES);
      if (games >= MAX_GAMES) throw new ApiError('game_limit');
      const added = { tenant, slug: gameId, name: name.trim() };
      if (!(await createGame(ctx.pool, added, actorOf(ctx, request)))) throw new ApiError('game_exists');
      return reply.code(201).send(success({ gameId, name: added.name }));
    },
  );

  routes.patch(
    '/admin/v1/games/:game',
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...adminSchema('Studio'),
        operationId: 'updateGame',
        summary:
          'Change the name of a game, how long its events are kept, which event types it takes, for how long an erasure can be withdrawn, or whether it has a page for requests of erasure',
        description:
          'With a shorter retention, the next hourly maintenance deletes events for good. A longer retention brings no events back. Every node obeys `unregisteredTypes` with its next request. Events that were held back stay in the inbox until they are replayed.',
        params: GameParameters,
        body: GameBody,
        response: { 200: GameSettingsResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { name, retentionDays, unregisteredTypes, erasureWaitDays, erasurePage } = request.body;
      if (Object.keys(request.body).length === 0) {
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
      const { slug, ...now } = await updateGameSettings(ctx.pool, gameId, settings, actorOf(ctx, request));
      return success({ gameId: slug, ...now });
    },
  );
}

function toResponse({ game, draftRevision, isDraftEdited, ...settings }: ListedGame) {
  return { gameId: game, draft: { revision: draftRevision, isEdited: isDraftEdited }, ...settings };
}
