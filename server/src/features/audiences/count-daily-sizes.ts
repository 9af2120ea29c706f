import type { OwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { utcDay } from '../../lib/day.js';
import { requireConfigVersion } from '../game-configs/config-queries.js';
import { listUncountedGames } from './segment-size-queries.js';
import { countSegments } from './segment-sizes.js';

const GAMES_AT_ONCE = 50;

/** Counts the segments of every game once a UTC day, so that a trend has no gap where nobody looked. Gives how many games. */
export async function countDailySizes(
  pool: Pool,
  connection: OwnConnection,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const day = utcDay(nowMs);
  let counted = 0;
  let afterId = 0;
  for (;;) {
    const games = await listUncountedGames(connection, { day, afterId, limit: GAMES_AT_ONCE });
    for (const { gameId, version } of games) {
      if (signal.aborted) return counted;
      const { document } = await requireConfigVersion(pool, gameId, version);
      await countSegments(pool, { gameId, version, document }, nowMs);
      counted++;
      afterId = gameId;
    }
    if (games.length < GAMES_AT_ONCE) return counted;
  }
}
