import { withOwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { createKeptResults } from '../../lib/kept-results.js';
import { beginSnapshot } from '../dry-runs/dry-run-queries.js';
import { drawPlayers, type PlayerSample } from './sample-queries.js';

export type PlayerSamples = { of(gameId: number, nowMs: number): Promise<PlayerSample> };

/** Off by less than one percent of all players in 19 of 20 cases. */
export const SAMPLE_SIZE = 10_000;
/** Drawing one reads the ids of all players of a game. Whoever types on meets the same players for a minute. */
const KEPT_MS = 60_000;
/** Players that are read by one statement: a hundredth of a second of work of the database. */
export const PORTION_PLAYERS = 500;
/** Each takes about half a megabyte. */
const MAX_KEPT = 50;

/** An even sample of the players of a game; all of them, and not kept, where there are few. */
export function createPlayerSamples(pool: Pool): PlayerSamples {
  const kept = createKeptResults<number, PlayerSample>({
    keptMs: KEPT_MS,
    maxKept: MAX_KEPT,
    isWorthKeeping: ({ players, ids }) => players > ids.length,
  });
  return {
    of: (gameId, nowMs) =>
      kept.get(gameId, nowMs, () =>
        withOwnConnection(pool, async (connection) => {
          await beginSnapshot(connection);
          return drawPlayers(connection, gameId, SAMPLE_SIZE);
        }),
      ),
  };
}
