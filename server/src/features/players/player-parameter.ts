import type { FastifyRequest } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameOf } from '../../admin/admin-guard.js';
import { ApiError } from '../../errors.js';
import { UUID_ANY_CASE } from '../../lib/uuid.js';
import { findPlayerId } from './override-queries.js';

/** The internal id of the player in the path. A player of another game is not found, like an unknown one. */
export async function playerOf(ctx: AdminContext, request: FastifyRequest): Promise<string> {
  const { gameId } = await gameOf(ctx, request);
  const playerId = await findPlayerId(ctx.pool, gameId, userIdOf(request));
  if (playerId === undefined) throw new ApiError('player_not_found');
  return playerId;
}

export function userIdOf(request: FastifyRequest): string {
  const { playerId = '' } = request.params as { playerId?: string };
  return readUserId(playerId);
}

/** A text that cannot be the id of a player is not found. */
export function readUserId(text: string): string {
  if (!UUID_ANY_CASE.test(text)) throw new ApiError('player_not_found');
  return text.toLowerCase();
}
