import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import { IdSet } from '../platform/lib/id-set.js';
import { readAhead } from '../platform/lib/read-ahead.js';
import type { RateTable } from '../studio/money/exchange-rates.js';
import {
  type ExposureCursor,
  FIRST_EXPOSURE,
  listExposedPlayers,
  listReseeded,
  type RunKey,
} from './exposure-queries.js';
import { type ExperimentSums, keyedMetrics } from './report/experiment-sums.js';
import { type Run, updateWalk } from './run-queries.js';
import { type PublishedRun, RunSums } from './run-sums.js';

export type MeasuredRun = Run & PublishedRun;

export type SumPlayersOptions = Readonly<{
  to: string;
  rates: RateTable | null;
  signal?: AbortSignal | undefined;
  playersPerChunk?: number;
}>;

const PLAYERS_PER_CHUNK = 2_000;
const EXPOSURES_PER_PAGE = 5_000;
/** Changes with what the sums hold: those of a walk that another release began are not gone on with. */
const SUMS_FORMAT = 'forecasts';
/** The sums so far are written down after so many chunks: a run that is killed goes on from there. */
const CHUNKS_PER_SAVE = 100;

/**
 * The sums of each run up to the end of `to`, in the order of the runs, which are those of one game. First the ids of all players are read from the index of the exposures. Then
 * what each player did is read once, in the order of the ids, and added to all runs. Undefined if it is to end before all players are summed.
 */
export async function sumPlayers(
  connection: DedicatedConnection,
  runs: readonly MeasuredRun[],
  { to, rates, signal, playersPerChunk = PLAYERS_PER_CHUNK }: SumPlayersOptions,
): Promise<readonly ExperimentSums[] | undefined> {
  const [first] = runs;
  if (first === undefined) return [];
  const basis = basisOf(runs, rates);
  const walk = first.walk?.to === to && first.walk.basis === basis ? first.walk : undefined;
  const players = await findPlayers(connection, runs, { to, signal });
  if (players === undefined) return undefined;
  const reseeded = await listReseeded(connection, runs);
  const runSums = new RunSums(runs, { to, rates, sums: walk?.sums });
  const { sums } = runSums;
  const read = async function* () {
    for (const playerIds of players.chunksBehind(walk?.behind ?? 0, playersPerChunk)) {
      const found = await runSums.read(connection, playerIds, reseeded);
      yield { found, behind: playerIds.at(-1) ?? 0 };
    }
  };
  let chunk = 0;
  // PostgreSQL reads the next players while these are added.
  for await (const { found, behind } of readAhead(read())) {
    await runSums.add(found);
    chunk++;
    const isStopped = signal?.aborted === true;
    if (isStopped || chunk % CHUNKS_PER_SAVE === 0) {
      const keys = runs.map(({ experimentId, seed }) => ({ experimentId, seed }));
      await updateWalk(connection, first, { to, runs: keys, basis, behind, sums });
    }
    if (isStopped) return undefined;
  }
  return sums;
}

/** What sums can be added to: others, by other metrics or rates, cannot. */
function basisOf(runs: readonly MeasuredRun[], rates: RateTable | null): string {
  const measured = runs.map(({ experimentId, seed, experiment }) => [
    ...[experimentId, seed],
    ...keyedMetrics(experiment.metrics).map(({ key }) => key),
  ]);
  return JSON.stringify([SUMS_FORMAT, rates?.version ?? null, ...measured]);
}

/** Who is in any of the runs. Undefined if it is to end before. */
async function findPlayers(
  connection: DedicatedConnection,
  runs: readonly RunKey[],
  { to, signal }: Pick<SumPlayersOptions, 'to' | 'signal'>,
): Promise<IdSet | undefined> {
  const players = new IdSet();
  for (const run of runs) {
    let behind: ExposureCursor | null = FIRST_EXPOSURE;
    while (behind !== null) {
      if (signal?.aborted) return undefined;
      const page = await listExposedPlayers(connection, run, { behind, to, limit: EXPOSURES_PER_PAGE });
      for (const id of page.playerIds) players.add(id);
      behind = page.last;
    }
  }
  return players;
}
