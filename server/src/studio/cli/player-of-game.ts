import { findPlayerId } from '../../core/players/player-parameter.js';
import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { UUID } from '../../platform/lib/uuid.js';
import { requireGame } from './game-option.js';
import { printable } from './printable.js';

type GameOptions = Readonly<{ tenant: string; game: string }>;

/** The internal id of the player with this user id. */
export async function requirePlayer(pool: Pool, userId: string, options: GameOptions): Promise<string> {
  const { id } = await requireGame(pool, options.tenant, options.game);
  const found = UUID.test(userId) ? await findPlayerId(pool, id, userId) : undefined;
  if (found === undefined) throw noSuchPlayer(userId, options);
  return found;
}

export function noSuchPlayer(userId: string, { tenant, game }: GameOptions): StartupError {
  return new StartupError(
    `${tenant}/${game} has no player "${printable(userId)}". Give the userId of the player's login.`,
  );
}
