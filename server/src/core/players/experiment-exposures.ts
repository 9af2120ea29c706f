import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import { createFailureReport } from '../../platform/lib/failure-report.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import { type Exposures, storeExposures } from './exposure-queries.js';

/** `otherwise`: the player was told another arm before, which stays. */
export type ArmsStored = 'as told' | 'otherwise' | 'not stored';

/** Stores the arms that players are told for the first time; those of requests that come together as one statement. */
export type ExperimentExposures = {
  /** Never rejects: what could not be stored is told in any case, and the next response stores it. */
  store(exposures: Exposures): Promise<ArmsStored>;
};

export function createExperimentExposures(
  pool: Pool,
  metrics: Pick<Metrics, 'experimentExposures'>,
  logger: Logger,
): ExperimentExposures {
  const groups = new Batcher<Exposures, ArmsStored>({
    maxItems: 500,
    maxInFlight: 1,
    maxWaiting: 20_000,
    weigh: ({ arms: { length } }) => length,
    async run(exposures) {
      const { stored, toldOtherwise } = await storeExposures(pool, exposures);
      metrics.experimentExposures.inc(stored);
      return exposures.map(({ playerId }) => (toldOtherwise.has(playerId) ? 'otherwise' : 'as told'));
    },
  });
  const report = createFailureReport(
    logger,
    'arms of experiments that players were told were not stored; it is tried again with the next responses to these players',
  );
  return {
    async store(exposures) {
      try {
        return await groups.submit(exposures);
      } catch (error) {
        report(error);
        return 'not stored';
      }
    },
  };
}
