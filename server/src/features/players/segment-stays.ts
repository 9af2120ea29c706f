import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { Batcher } from '../../lib/batcher.js';
import { type DecidedStays, storeStays } from './stay-queries.js';

/** Stores which players enter and leave segments with two thresholds; those of requests that come together as one statement. */
export type SegmentStays = {
  /** Never rejects: the player is told what was decided in any case. What was not stored is decided anew with the next request. */
  store(decided: DecidedStays): Promise<void>;
};

export function createSegmentStays(pool: Pool, logger: Logger): SegmentStays {
  const changes = new Batcher<DecidedStays, undefined>({
    maxItems: 500,
    maxInFlight: 1,
    maxWaiting: 20_000,
    weigh: ({ changes: { length } }) => length,
    async run(decided) {
      await storeStays(pool, decided);
      return decided.map(() => undefined);
    },
  });
  return {
    async store(decided) {
      try {
        await changes.submit(decided);
      } catch (error) {
        logger.error(
          { err: error, playerId: decided.playerId },
          'that a player entered or left a segment with two thresholds was not stored; it is tried again with the next request of the player',
        );
      }
    },
  };
}
