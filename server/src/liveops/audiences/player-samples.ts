import { withDedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Reads } from '../../platform/db/reads.js';
import type { Clock } from '../../platform/lib/clock.js';
import { evenly } from '../../platform/lib/evenly.js';
import { createTtlCache } from '../../platform/lib/ttl-cache.js';
import { beginSnapshot } from '../evaluations/player-queries.js';
import { drawPlayers, type PlayerSample } from './sample-queries.js';

export type PlayerSamples = {
  /** At most `size` players: one of the sizes below. */
  of(gameId: number, size: number): Promise<PlayerSample>;
};

/**
 * For segments: their sizes and their numbers are counted for the same players. Gives an error of less than 0.7 percent of all
 * players in 19 of 20 cases.
 */
export const SEGMENT_SAMPLE_SIZE = 20_000;
/** For counts that have to be fast. Gives an error of less than one percent of all players in 19 of 20 cases. */
export const FAST_SAMPLE_SIZE = 10_000;
/** Drawing a sample reads the ids of all players of a game, so a sample is kept for a minute. */
const KEPT_MS = 60_000;
/** Players that are read by one statement: a hundredth of a second of work of the database. */
export const PORTION_PLAYERS = 500;
/** Each sample takes about a megabyte. */
const MAX_KEPT = 50;

/** Even samples of the players of a game. For a small game the sample has all players, and is not kept. */
export function createPlayerSamples(reads: Reads, clock: Clock): PlayerSamples {
  const kept = createTtlCache<number, PlayerSample>({
    clock,
    keptMs: KEPT_MS,
    maxKept: MAX_KEPT,
    isWorthKeeping: ({ players, ids }) => players > ids.length,
  });
  return {
    async of(gameId, size) {
      const drawn = await kept.get(gameId, () =>
        reads.run((db) =>
          withDedicatedConnection(db, async (connection) => {
            await beginSnapshot(connection);
            return drawPlayers(connection, gameId, SEGMENT_SAMPLE_SIZE);
          }),
        ),
      );
      return thinOut(drawn, size);
    },
  };
}

/** Selects evenly, as `drawPlayers` does: the result is the same as drawing `size` players from the game. */
export function thinOut({ players, ids }: PlayerSample, size: number): PlayerSample {
  return { players, ids: evenly(ids, size) };
}

/** Selects evenly so many players that together they weigh at most `maxWeight`. Players without a weight weigh nothing. */
export function thinToWeight(
  sample: PlayerSample,
  weights: ReadonlyMap<string, number>,
  maxWeight: number,
): PlayerSample {
  let thinned = sample;
  for (;;) {
    const { ids } = thinned;
    const weight = ids.reduce((sum, id) => sum + (weights.get(id) ?? 0), 0);
    if (weight <= maxWeight || ids.length <= 1) return thinned;
    // What is left may be heavier than its share, so it may take more than one step.
    thinned = thinOut(
      thinned,
      Math.max(1, Math.min(ids.length - 1, Math.floor((ids.length * maxWeight) / weight))),
    );
  }
}
