import type { PlayerKey } from '../../core/events/intake/event-record.js';
import { ACTIVATED_EXPERIMENTS } from '../../core/players/player-row.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** The internal ids of players, by their public ones. */
export async function findPlayerKeys(
  pool: Pool,
  userIds: readonly string[],
): Promise<Map<string, PlayerKey>> {
  const rows = await query<PlayerKey & { userId: string }>(
    pool,
    {
      name: 'find_player_keys',
      text: `select p.user_id as "userId", p.id as "playerId", p.game_id as "gameId",
               (select ${ACTIVATED_EXPERIMENTS} from games g where g.id = p.game_id) as "activatedExperiments"
             from players p
             where p.user_id = any($1::uuid[]) and p.erase_requested_at is null`,
    },
    [[...new Set(userIds)]],
  );
  return new Map(rows.map((row) => [row.userId, row]));
}
