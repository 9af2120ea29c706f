import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { Batcher } from '../../lib/batcher.js';
import { type DecidedStays, storeStays } from './stay-queries.js';

/** Stores which players enter and leave segments with two thresholds; those of requests that come together as one statement. */
export type SegmentStays = {
  /** Whether it was stored. Never rejects: the player is told what was decided in any case, and it is decided anew later. */
  store(decided: DecidedStays): Promise<boolean>;
};

const LOG_EVERY_MS = 60_000;

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
  let notStored = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  /** A database that only reads fails every one of them: a line for each would fill the disk. */
  const report = (error: unknown): void => {
    notStored++;
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    logger.error(
      { err: error, notStored },
      'that players entered or left segments with two thresholds was not stored; it is tried again with later requests of these players',
    );
    loggedAt = performance.now();
    notStored = 0;
  };
  return {
    async store(decided) {
      try {
        await changes.submit(decided);
        return true;
      } catch (error) {
        report(error);
        return false;
      }
    },
  };
}
