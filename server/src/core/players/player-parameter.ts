import { type Pool, query } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';

/** The internal id of the player in the path. A player of another game is not found, like an unknown one. */
export async function requirePlayer(pool: Pool, gameId: number, text: string): Promise<string> {
  const playerId = await findPlayerId(pool, gameId, readUserId(text));
  if (playerId === undefined) throw new ApiError('player_not_found');
  return playerId;
}

/** A text that cannot be the id of a player is not found. */
export function readUserId(text: string): string {
  if (!UUID_ANY_CASE.test(text)) throw new ApiError('player_not_found');
  return text.toLowerCase();
}

/** The internal id of a game's player. */
export async function findPlayerId(pool: Pool, gameId: number, userId: string): Promise<string | undefined> {
  const rows = await query<{ id: string }>(
    pool,
    { name: 'find_player_id', text: 'select id from players where user_id = $2 and game_id = $1' },
    [gameId, userId],
  );
  return rows[0]?.id;
}
