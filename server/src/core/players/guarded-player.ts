import type { FastifyRequest } from 'fastify';
import type { PlayerRow } from './player-row.js';

/** The player that the guard of the route's scope has found (`core/sessions/player-guard.ts`). */
export function playerOf({ player }: FastifyRequest): PlayerRow {
  if (player === undefined) throw new Error('this route is outside of its guard');
  return player;
}
