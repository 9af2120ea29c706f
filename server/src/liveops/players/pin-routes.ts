import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { readUserId, requirePlayer } from '../../core/players/player-parameter.js';
import { valueSentence } from '../../decide/document/parts/values.js';
import { cutPage, pageParameters } from '../../platform/admin-api/page-cursor.js';
import { ApiError, ERRORS } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { didYouMean } from '../../platform/lib/nearest-name.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { PlayerParameters } from './admin-player-schemas.js';
import { afterOf, endOf, keyOf, LIST_LIMITS, setMembers } from './override-parts.js';
import { isPinKind, PIN_TARGET } from './pin-kinds.js';
import { listPins, type PinRow } from './pin-queries.js';
import { PinBody, PinClearedResponse, PinParameters, PinResponse, PinsResponse } from './pin-schemas.js';
import { clearPin, type PinOutcome, type PinPlace, setPin } from './pins.js';

const PINS = 'pins';

/** What the studio pins for a player, mostly on test devices. */
export function pinRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');

  routes.get('/admin/v1/games/:game/players/:playerId/pins', {
    role: 'viewer',
    operationId: 'listPins',
    summary: 'What the studio has pinned for a player, and pins now',
    params: PlayerParameters,
    querystring: Type.Object(pageParameters(LIST_LIMITS)),
    response: { 200: PinsResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, query }) => {
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const { cursor, limit = LIST_LIMITS.fallback } = query;
      const found = await listPins(ctx.pool, playerId, { limit: limit + 1, after: afterOf(PINS, cursor) });
      const { page, nextCursor } = cutPage(PINS, found, limit, keyOf);
      return { pins: page.map((pin) => pinResponse(pin, ctx.clock.now())), nextCursor };
    },
  });

  routes.put('/admin/v1/games/:game/players/:playerId/pins/:kind/:target', {
    role: 'editor',
    operationId: 'setPin',
    summary: 'Pin a value or a variant for a player, whatever the rules say',
    description:
      'It replaces the current pin. It is in force from the next request of the player. A pin is ignored while what is published does not allow its value.',
    params: PinParameters,
    body: PinBody,
    response: { 200: PinResponse },
    errors: [...BODY_ERRORS, 'player_not_found', 'pin_target_not_found', 'pin_limit', 'pin_invalid'],
    handle: async ({ gameId, params, body, actorNow }) => {
      const place = placeOf(gameId, params);
      const actor = actorNow();
      const { value, reason, until } = body;
      const change = { ...place, value, reason, until: endOf(until, actor.nowMs) };
      const set = await setPin(ctx.pool, change, actor);
      if (set.outcome !== 'set') throw refused(set);
      return pinResponse(set.pin, actor.nowMs);
    },
  });

  routes.delete('/admin/v1/games/:game/players/:playerId/pins/:kind/:target', {
    role: 'editor',
    operationId: 'clearPin',
    summary: 'Take a pin back: the rules decide again',
    params: PinParameters,
    response: { 200: PinClearedResponse },
    errors: ['player_not_found', 'pin_target_not_found', 'pin_not_found'],
    handle: async ({ gameId, params, actorNow }) => {
      const place = placeOf(gameId, params);
      const outcome = await clearPin(ctx.pool, place, actorNow());
      if (outcome === 'no_such_player') throw new ApiError('player_not_found');
      if (outcome === 'no_such_pin') throw new ApiError('pin_not_found');
      return { kind: place.kind, target: place.target };
    },
  });
}

function refused(set: Exclude<PinOutcome, { outcome: 'set' }>): ApiError {
  switch (set.outcome) {
    case 'no_such_player':
      return new ApiError('player_not_found');
    case 'too_many':
      return new ApiError('pin_limit');
    case 'wrong_value':
      return new ApiError('pin_invalid', { message: valueSentence(set.problem) });
    case 'no_such_target':
      return new ApiError('pin_target_not_found', {
        message: `${ERRORS.pin_target_not_found.message}${didYouMean(set.nearest)}`,
      });
  }
}

/** A target that does not exist can still be cleared: it may have been taken from the document. */
function placeOf(gameId: number, { playerId, kind, target }: Static<typeof PinParameters>): PinPlace {
  if (!isPinKind(kind) || !PIN_TARGET.test(target)) throw new ApiError('pin_target_not_found');
  return { gameId, userId: readUserId(playerId), kind, target };
}

function pinResponse(pin: PinRow, nowMs: number) {
  const { kind, target, value } = pin;
  return { kind, target, value, ...setMembers(pin, nowMs) };
}
