import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import { createFailureReport } from '../../platform/lib/failure-report.js';
import { type DecidedStays, storeStays } from './stay-queries.js';

/** Stores which players enter and leave segments with two thresholds; those of requests that come together as one statement. */
export type SegmentStays = {
  /** Whether it was stored. Never rejects: the player is told what was decided in any case, and it is decided anew later. */
  store(decided: DecidedStays): Promise<boolean>;
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
  const report = createFailureReport(
    logger,
    'that players entered or left segments with two thresholds was not stored; it is tried again with later requests of these players',
  );
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
