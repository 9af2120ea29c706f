import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { Batcher } from '../../lib/batcher.js';
import { createFailureReport } from '../../lib/failure-report.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { type Exposures, storeExposures } from './exposure-queries.js';

/** Stores the arms that players are told for the first time; those of requests that come together as one statement. */
export type ExperimentExposures = {
  /** Whether they were stored. Never rejects: the player is told in any case, and the next response stores it. */
  store(exposures: Exposures): Promise<boolean>;
};

export function createExperimentExposures(
  pool: Pool,
  metrics: Pick<Metrics, 'experimentExposures'>,
  logger: Logger,
): ExperimentExposures {
  const groups = new Batcher<Exposures, undefined>({
    maxItems: 500,
    maxInFlight: 1,
    maxWaiting: 20_000,
    weigh: ({ arms: { length } }) => length,
    async run(exposures) {
      metrics.experimentExposures.inc(await storeExposures(pool, exposures));
      return exposures.map(() => undefined);
    },
  });
  const report = createFailureReport(
    logger,
    'arms of experiments that players were told were not stored; it is tried again with the next responses to these players',
  );
  return {
    async store(exposures) {
      try {
        await groups.submit(exposures);
        return true;
      } catch (error) {
        report(error);
        return false;
      }
    },
  };
}
