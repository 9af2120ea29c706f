import { requireConfigVersion } from '../../core/configs/config-queries.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { readsOf } from '../../platform/db/reads.js';
import { utcDay } from '../../platform/lib/day.js';
import { listUncountedGames } from './segment-size-queries.js';
import { countSegments } from './segment-sizes.js';

const GAMES_AT_ONCE = 50;

/**
 * Counts the segments of every game once per UTC day, so that trends have no gaps. Returns how many games were counted. If a game
 * fails, the other games are still counted, and its error is thrown at the end.
 */
export async function countDailySizes(
  pool: Pool,
  connection: DedicatedConnection,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const day = utcDay(nowMs);
  let counted = 0;
  let afterId = 0;
  const failures: unknown[] = [];
  for (;;) {
    const games = await listUncountedGames(connection, { day, afterId, limit: GAMES_AT_ONCE });
    for (const { gameId, version } of games) {
      if (signal.aborted) return counted;
      afterId = gameId;
      try {
        const { document } = await requireConfigVersion(pool, gameId, version);
        await countSegments({ pool, reads: readsOf(pool) }, { gameId, version, document }, nowMs);
        counted++;
      } catch (error) {
        failures.push(error);
      }
    }
    if (games.length < GAMES_AT_ONCE) break;
  }
  if (failures.length > 0) throw failures[0];
  return counted;
}
