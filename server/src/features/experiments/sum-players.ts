import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import { metricsOf } from '../../personalisation/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../personalisation/document/parts/experiments.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import type { RateTable } from '../reporting/exchange-rates.js';
import { countedExposures, FIRST_EXPOSURE, listExposedPlayers, listExposures } from './exposure-queries.js';
import { figureNeeds } from './figure-needs.js';
import { findFigures } from './figure-queries.js';
import { addPlayer, type ExperimentSums, keyedMetrics } from './report/experiment-sums.js';
import { type Run, updateWalk } from './run-queries.js';

/** A run with its experiment as it is published. */
export type MeasuredRun = Run & Readonly<{ experiment: ExperimentEntry }>;

export type SumPlayersOptions = Readonly<{
  to: string;
  rates: RateTable | null;
  signal?: AbortSignal | undefined;
  playersPerChunk?: number;
}>;

const PLAYERS_PER_CHUNK = 1_000;
/** The sums so far are written down after so many chunks: a run that is killed goes on from there. */
const CHUNKS_PER_SAVE = 50;

/**
 * The sums of each run up to the end of `to`, in the order of the runs, which are those of one game. What a player did is read once for all runs: the exposures of one run are
 * gone through after those of the other, without the players who are in a run before, and whoever comes is added to all runs. Undefined if it is to end
 * before all players are summed.
 */
export async function sumPlayers(
  connection: DedicatedConnection,
  runs: readonly MeasuredRun[],
  { to, rates, signal, playersPerChunk = PLAYERS_PER_CHUNK }: SumPlayersOptions,
): Promise<ExperimentSums[] | undefined> {
  const metrics = runs.map(({ experiment }) => keyedMetrics(experiment.metrics));
  const needs = figureNeeds(runs.flatMap(({ experiment }) => metricsOf(experiment.metrics)));
  const basis = JSON.stringify([
    ...[to, rates?.version ?? null],
    ...runs.map(({ experimentId, seed }, run) => [experimentId, seed, metrics[run]?.map(({ key }) => key)]),
  ]);
  const [first] = runs;
  const walk = first?.walk?.basis === basis ? first.walk : undefined;
  const sums = runs.map((_, run) => walk?.sums[run] ?? {});
  let { at, behind } = walk ?? { at: 0, behind: FIRST_EXPOSURE };
  for (let chunk = 1; ; chunk++) {
    const run = runs[at];
    if (first === undefined || run === undefined) return sums;
    const page = { behind, to, limit: playersPerChunk, except: runs.slice(0, at) };
    const { playerIds, last } = await listExposedPlayers(connection, run, page);
    if (playerIds.length > 0) await addPlayers(playerIds);
    if (last === null) at++;
    behind = last ?? FIRST_EXPOSURE;
    const isStopped = signal?.aborted === true;
    if (isStopped || chunk % CHUNKS_PER_SAVE === 0)
      await updateWalk(connection, first, { basis, at, behind, sums });
    if (isStopped) return undefined;
  }

  /** Does not look at the signal: a player who was added to some of the runs only would be counted twice by the next run. */
  async function addPlayers(playerIds: readonly string[]): Promise<void> {
    const exposures = await listExposures(connection, playerIds, runs, to);
    const isActivated = ({ run }: { run: number }) => runs[run]?.experiment.activation !== undefined;
    const counted = countedExposures(exposures, isActivated, to);
    const figures = await findFigures(connection, counted, to, needs);
    const timeSlice = new TimeSlice(() => performance.now());
    for (const [index, { run, variantId, sawTwoArms }] of counted.entries()) {
      const [ofRun, ofPlayer] = [sums[run], figures[index]];
      if (ofRun === undefined || ofPlayer === undefined) continue;
      addPlayer(ofRun, { variantId, sawTwoArms, figures: ofPlayer }, metrics[run] ?? [], rates);
      if (timeSlice.isOver) await timeSlice.giveWay();
    }
  }
}
