import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import { DAY_MS, utcDay } from '../platform/lib/day.js';
import { findRateTable } from '../studio/money/rate-queries.js';
import { findPublishedExperiments, listGamesWithRuns } from './erased-queries.js';
import { listReseeded } from './exposure-queries.js';
import { toKeptKeys } from './report/erased-currency.js';
import { mergeExperimentSums } from './report/experiment-sums.js';
import { RunSums } from './run-sums.js';
import { findErasedSums, upsertErasedSums } from './sum-queries.js';

/** One that is stopped goes on when it runs again with the same seed. */
const MAY_RUN_ON: readonly ExperimentEntry['state'][] = ['running', 'stopped'];

/**
 * Adds what players did to the sums of erased players of each experiment that they are in, in the transaction that begins their
 * erasure. A sum that is under way at this moment may have counted such a player already; the sum of the next day has the player once.
 */
export async function keepErasedSums(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const to = utcDay(nowMs - DAY_MS);
  for (const gameId of await listGamesWithRuns(connection, playerIds)) {
    await keepGame(connection, gameId, playerIds.map(Number), to);
  }
}

async function keepGame(
  connection: DedicatedConnection,
  gameId: number,
  playerIds: readonly number[],
  to: string,
): Promise<void> {
  const experiments = await findPublishedExperiments(connection, gameId);
  const runs = experiments
    .filter(({ state }) => MAY_RUN_ON.includes(state))
    .map((experiment) => ({
      gameId,
      experimentId: experiment.experimentId,
      seed: experiment.seed,
      experiment,
    }))
    // Their rows are locked in one order, so that no two erasures wait for each other.
    .sort((one, other) => (one.experimentId < other.experimentId ? -1 : 1));
  const rates = await findRateTable(connection, gameId);
  const runSums = new RunSums(runs, { to, rates });
  const reseeded = await listReseeded(connection, runs);
  await runSums.add(await runSums.read(connection, playerIds, reseeded));
  for (const [at, run] of runs.entries()) {
    const ofRun = runSums.sums[at] ?? {};
    if (Object.keys(ofRun).length === 0) continue;
    const before = await findErasedSums(connection, run);
    await upsertErasedSums(connection, run, mergeExperimentSums(before, toKeptKeys(ofRun, rates?.currency)));
  }
}
