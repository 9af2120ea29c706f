import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import { DAY_MS, utcDay } from '../../lib/day.js';
import { metricsOf } from '../../personalisation/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../personalisation/document/parts/experiments.js';
import { findRateTable } from '../reporting/rate-queries.js';
import { type ErasedExposure, findPublishedExperiments, listErasedExposures } from './erased-queries.js';
import { countedExposures, type RunKey } from './exposure-queries.js';
import { figureNeeds } from './figure-needs.js';
import { findFigures } from './figure-queries.js';
import { toKeptKeys } from './report/erased-currency.js';
import {
  addPlayer,
  type ExperimentSums,
  keyedMetrics,
  mergeExperimentSums,
} from './report/experiment-sums.js';
import { findErasedSums, upsertErasedSums } from './sum-queries.js';

/**
 * Adds what players did to the sums of erased players of each running experiment that they are in, in the transaction that begins their
 * erasure. A sum that is under way at this moment may have counted such a player already; the sum of the next day has the player once.
 */
export async function keepErasedSums(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const to = utcDay(nowMs - DAY_MS);
  const exposures = await listErasedExposures(connection, playerIds, to);
  const runs = new Map<string, ErasedExposure[]>();
  for (const exposure of exposures) {
    const { gameId, experimentId, seed } = exposure;
    const key = JSON.stringify([gameId, experimentId, seed]);
    runs.set(key, [...(runs.get(key) ?? []), exposure]);
  }
  const published = new Map<number, readonly ExperimentEntry[]>();
  for (const ofRun of runs.values()) {
    const [run] = ofRun;
    if (run === undefined) continue;
    const experiments = published.get(run.gameId) ?? (await findPublishedExperiments(connection, run.gameId));
    published.set(run.gameId, experiments);
    const experiment = experiments.find(({ experimentId }) => experimentId === run.experimentId);
    if (experiment !== undefined) await keepRun(connection, run, experiment, ofRun, to);
  }
}

async function keepRun(
  connection: DedicatedConnection,
  run: RunKey,
  experiment: ExperimentEntry,
  exposures: readonly ErasedExposure[],
  to: string,
): Promise<void> {
  const counted = countedExposures(exposures, () => experiment.activation !== undefined, to);
  const rates = await findRateTable(connection, run.gameId);
  const metrics = keyedMetrics(experiment.metrics);
  const figures = await findFigures(connection, counted, to, figureNeeds(metricsOf(experiment.metrics)));
  const sums: ExperimentSums = {};
  counted.forEach(({ variantId, sawTwoArms }, index) => {
    const ofPlayer = figures[index];
    if (ofPlayer !== undefined) addPlayer(sums, { variantId, sawTwoArms, figures: ofPlayer }, metrics, rates);
  });
  const before = await findErasedSums(connection, run);
  const kept = mergeExperimentSums(before, toKeptKeys(sums, rates?.currency));
  await upsertErasedSums(connection, run, kept);
}
