import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import type { Clock } from '../../platform/lib/clock.js';
import { findFacts, type PlayerReading } from './facts-queries.js';

/** Reads the facts of players; requests at the same time share one query. */
export type FactReadings = { of(playerId: string): Promise<PlayerReading> };

export function createFactReadings(pool: Pool, clock: Clock): FactReadings {
  const readings = new Batcher<string, PlayerReading | undefined>({
    maxItems: 200,
    maxInFlight: 2,
    maxWaiting: 20_000,
    async run(playerIds) {
      const rows = await findFacts(pool, playerIds, clock.now());
      const byPlayer = new Map(rows.map((row) => [row.playerId, row]));
      return playerIds.map((playerId) => byPlayer.get(playerId));
    },
  });
  return {
    async of(playerId) {
      const reading = await readings.submit(playerId);
      if (reading === undefined) throw new Error(`there is no player ${playerId}`);
      return reading;
    },
  };
}
