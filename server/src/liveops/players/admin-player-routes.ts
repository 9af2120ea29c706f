import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { findFacts } from '../../core/players/facts-queries.js';
import { readUserId, requirePlayer } from '../../core/players/player-parameter.js';
import { cutPage, pageParameters } from '../../platform/admin-api/page-cursor.js';
import { ApiError, ERRORS } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { didYouMean } from '../../platform/lib/nearest-name.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { reportSpend } from '../../studio/money/report-spend.js';
import { playerResponse } from './admin-player-response.js';
import {
  ClearedResponse,
  OverrideBody,
  OverrideParameters,
  OverrideResponse,
  OverridesResponse,
  PlayerParameters,
  PlayerResponse,
} from './admin-player-schemas.js';
import { FLAG_ID } from './override-limits.js';
import { afterOf, endOf, keyOf, LIST_LIMITS, setMembers } from './override-parts.js';
import { listOverrides, type OverrideRow } from './override-queries.js';
import { clearOverride, type OverridePlace, setOverride } from './overrides.js';

const OVERRIDES = 'overrides';

/** What is known of a player, and what the studio says about them. */
export function adminPlayerRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');

  routes.get('/admin/v1/games/:game/players/:playerId', {
    role: 'viewer',
    operationId: 'getPlayer',
    summary: 'What is known of a player',
    params: PlayerParameters,
    response: { 200: PlayerResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params }) => {
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const now = ctx.clock.now();
      const [reading] = await findFacts(ctx.pool, [playerId], now);
      if (reading === undefined) throw new ApiError('player_not_found');
      const overrides = await listOverrides(ctx.pool, playerId, { limit: LIST_LIMITS.max });
      const { purchaseCount } = reading.facts;
      const reported = await reportSpend(ctx.pool, gameId, [{ id: playerId, purchaseCount }]);
      const current = overrides.filter(({ clearedAt }) => clearedAt === null);
      return {
        ...playerResponse(reading.facts),
        reportedSpend: reported(playerId),
        overrides: current.map((each) => overrideResponse(each, now)),
      };
    },
  });

  routes.get('/admin/v1/games/:game/players/:playerId/overrides', {
    role: 'viewer',
    operationId: 'listOverrides',
    summary: 'What the studio has said about the flags of a player, and says now',
    params: PlayerParameters,
    querystring: Type.Object(pageParameters(LIST_LIMITS)),
    response: { 200: OverridesResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, query }) => {
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const { cursor, limit = LIST_LIMITS.fallback } = query;
      const after = afterOf(OVERRIDES, cursor);
      const found = await listOverrides(ctx.pool, playerId, { limit: limit + 1, after });
      const { page, nextCursor } = cutPage(OVERRIDES, found, limit, keyOf);
      return { overrides: page.map((each) => overrideResponse(each, ctx.clock.now())), nextCursor };
    },
  });

  routes.put('/admin/v1/games/:game/players/:playerId/overrides/:flagId', {
    role: 'editor',
    operationId: 'setOverride',
    summary: 'Set a flag of a player, whatever the rule says',
    description: 'It replaces the current override. It is in force from the next request of the player.',
    params: OverrideParameters,
    body: OverrideBody,
    response: { 200: OverrideResponse },
    errors: [...BODY_ERRORS, 'player_not_found', 'flag_not_found'],
    handle: async ({ gameId, params, body, actorNow }) => {
      const place = placeOf(gameId, params);
      const actor = actorNow();
      const { value, reason, until } = body;
      const change = { ...place, value, reason, until: endOf(until, actor.nowMs) };
      const set = await setOverride(ctx.pool, change, actor);
      if (set.outcome === 'no_such_player') throw new ApiError('player_not_found');
      if (set.outcome === 'no_such_flag') {
        throw new ApiError('flag_not_found', {
          message: `${ERRORS.flag_not_found.message}${didYouMean(set.nearest)}`,
        });
      }
      return overrideResponse(set.override, actor.nowMs);
    },
  });

  routes.delete('/admin/v1/games/:game/players/:playerId/overrides/:flagId', {
    role: 'editor',
    operationId: 'clearOverride',
    summary: 'Take an override back: the rule decides again',
    params: OverrideParameters,
    response: { 200: ClearedResponse },
    errors: ['player_not_found', 'override_not_found'],
    handle: async ({ gameId, params, actorNow }) => {
      const place = placeOf(gameId, params);
      const { outcome } = await clearOverride(ctx.pool, place, actorNow());
      if (outcome === 'no_such_player') throw new ApiError('player_not_found');
      if (outcome === 'no_such_override') throw new ApiError('override_not_found');
      return { flagId: place.flagId };
    },
  });
}

function placeOf(gameId: number, { playerId, flagId }: Static<typeof OverrideParameters>): OverridePlace {
  const userId = readUserId(playerId);
  if (!FLAG_ID.test(flagId)) throw new ApiError('flag_not_found');
  return { gameId, userId, flagId };
}

function overrideResponse(override: OverrideRow, nowMs: number) {
  const { flagId, value } = override;
  return { flagId, value, ...setMembers(override, nowMs) };
}
