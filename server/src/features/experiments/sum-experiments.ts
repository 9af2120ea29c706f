import { type DedicatedConnection, inTransaction } from '../../db/dedicated-connection.js';
import type { Pool } from '../../db/pool.js';
import { DAY_MS, utcDay } from '../../lib/day.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { isHoldoutOver, measuredExperiments } from '../../personalisation/document/offer-holdouts.js';
import { metricsOf } from '../../personalisation/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../personalisation/document/parts/experiments.js';
import type { RateTable } from '../reporting/exchange-rates.js';
import { findRateTable } from '../reporting/rate-queries.js';
import { armChangesOf, PublishedVersions } from './arm-changes.js';
import { FIRST_EXPOSURE, listExposures, walkInOrder } from './exposure-queries.js';
import { figureNeeds } from './figure-needs.js';
import { findFigures } from './figure-queries.js';
import { fromKeptKeys } from './report/erased-currency.js';
import {
  addPlayer,
  type ExperimentSums,
  keyedMetrics,
  mergeExperimentSums,
} from './report/experiment-sums.js';
import { reportOf } from './report/report.js';
import {
  endRuns,
  listDueRuns,
  listRunningGames,
  type Run,
  updateArmChanges,
  updateSummed,
  updateWalk,
  upsertRuns,
} from './run-queries.js';
import {
  deleteEndedSums,
  deleteOldSums,
  findErasedSums,
  findSumsFrom,
  upsertReport,
  upsertSums,
} from './sum-queries.js';

export type SumOptions = Readonly<{
  pool: Pool;
  nowMs: number;
  signal?: AbortSignal | undefined;
  playersPerChunk?: number;
}>;

export type SumResult = Readonly<{ isDone: boolean; experimentsSummed: number }>;

const PLAYERS_PER_CHUNK = 1_000;
/** The sums so far are written down after so many chunks: a run that is killed goes on from there. */
const CHUNKS_PER_SAVE = 20;
const GAMES_PER_LIST = 200;

/**
 * Once a day, and when somebody asks: what the players of each running experiment did from their exposure to the end of yesterday, summed anew
 * from the players' own days. So late events and refunds count.
 */
export async function sumExperiments(
  connection: DedicatedConnection,
  options: SumOptions,
): Promise<SumResult> {
  const to = utcDay(options.nowMs - DAY_MS);
  await walkInOrder(connection);
  await beginRuns(connection);
  await endRuns(connection, options.nowMs);
  await deleteEndedSums(connection, options.nowMs);
  const failures: unknown[] = [];
  const versions = new PublishedVersions(options.pool);
  let experimentsSummed = 0;
  for (const run of await listDueRuns(connection, to)) {
    if (options.signal?.aborted) return { isDone: false, experimentsSummed };
    try {
      if (await sumRun(connection, run, to, { ...options, versions })) experimentsSummed++;
    } catch (error) {
      // The others are summed all the same.
      failures.push(error);
    }
  }
  for (const failure of failures) throw failure;
  return { isDone: options.signal?.aborted !== true, experimentsSummed };
}

async function beginRuns(connection: DedicatedConnection): Promise<void> {
  let behind = 0;
  for (;;) {
    const games = await listRunningGames(connection, behind, GAMES_PER_LIST);
    for (const game of games) await upsertRuns(connection, game);
    const last = games.at(-1);
    if (last === undefined || games.length < GAMES_PER_LIST) return;
    behind = last.gameId;
  }
}

/** Whether it came to the end. */
async function sumRun(
  connection: DedicatedConnection,
  run: Run,
  to: string,
  options: SumOptions & { versions: PublishedVersions },
): Promise<boolean> {
  const { document, armChanges } = await findArmChanges(connection, options.versions, run);
  const experiment = measuredExperiments(document).find(
    ({ experimentId }) => experimentId === run.experimentId,
  );
  if (experiment === undefined || experiment.seed !== run.seed) return false;
  // The last report stays.
  if (isHoldoutOver(document.offers, run.experimentId, to)) return false;
  const rates = await findRateTable(connection, run.gameId);
  const living = await sumExposed(connection, run, { experiment, to, rates, ...options });
  if (living === undefined) return false;
  await inTransaction(connection, async () => {
    const erased = fromKeptKeys(await findErasedSums(connection, run), rates?.currency);
    const sums = mergeExperimentSums(living, erased.sums);
    const from = run.startedOn;
    const days = daysBetween(from, to) + 1;
    const plannedEnd = await findPlannedEnd(connection, run, { experiment, days, sums });
    const report = reportOf({
      ...{ experiment, from, to, days, sums, plannedEnd, armChanges },
      erasedLeftOut: erased.leftOut,
    });
    await upsertSums(connection, run, to, sums);
    await deleteOldSums(connection, run, { to, plannedEnd: plannedEndOf(run, experiment) });
    await upsertReport(connection, run, { day: to, report, nowMs: options.nowMs });
    await updateSummed(connection, run, { to, nowMs: options.nowMs });
  });
  return true;
}

/** The published document, and the publications since the start that changed an arm. Each version is looked at once. */
async function findArmChanges(
  connection: DedicatedConnection,
  versions: PublishedVersions,
  run: Run,
): Promise<Pick<Run, 'armChanges'> & { document: ConfigDocument }> {
  let before = await versions.find(run.gameId, run.checkedVersion);
  if (before === undefined) throw new Error(`game ${run.gameId} has no version ${run.checkedVersion}`);
  let { armChanges } = run;
  for (;;) {
    const after = await versions.find(run.gameId, before.version + 1);
    if (after === undefined) break;
    armChanges = [...armChanges, ...armChangesOf(run.experimentId, before, after)];
    before = after;
  }
  if (before.version !== run.checkedVersion) {
    await updateArmChanges(connection, run, { checkedVersion: before.version, armChanges });
  }
  return { document: before.document, armChanges };
}

type Summing = SumOptions & Readonly<{ experiment: ExperimentEntry; to: string; rates: RateTable | null }>;

/** Undefined if it is to end before all players are summed. */
async function sumExposed(
  connection: DedicatedConnection,
  run: Run,
  { experiment, to, rates, signal, playersPerChunk = PLAYERS_PER_CHUNK }: Summing,
): Promise<ExperimentSums | undefined> {
  const metrics = keyedMetrics(experiment.metrics);
  const needs = figureNeeds(metricsOf(experiment.metrics));
  const basis = JSON.stringify([to, rates?.version ?? null, ...metrics.map(({ key }) => key)]);
  const walk = run.walk?.basis === basis ? run.walk : undefined;
  const sums = walk?.sums ?? {};
  let behind = walk?.behind ?? FIRST_EXPOSURE;
  for (let chunk = 1; ; chunk++) {
    const isActivated = experiment.activation !== undefined;
    const page = { behind, to, isActivated, limit: playersPerChunk };
    const { counted, last } = await listExposures(connection, run, page);
    if (last === null) return sums;
    const figures = await findFigures(connection, counted, to, needs);
    counted.forEach(({ variantId, sawTwoArms }, index) => {
      const ofPlayer = figures[index];
      if (ofPlayer !== undefined)
        addPlayer(sums, { variantId, sawTwoArms, figures: ofPlayer }, metrics, rates);
    });
    behind = last;
    const isStopped = signal?.aborted === true;
    if (isStopped || chunk % CHUNKS_PER_SAVE === 0)
      await updateWalk(connection, run, { basis, behind, sums });
    if (isStopped) return undefined;
  }
}

/** The sums of the last day of the plan, once it is over. */
async function findPlannedEnd(
  connection: DedicatedConnection,
  run: Run,
  { experiment, days, sums }: { experiment: ExperimentEntry; days: number; sums: ExperimentSums },
): Promise<ExperimentSums | undefined> {
  const endDay = plannedEndOf(run, experiment);
  const plannedDays = experiment.plan?.days;
  if (endDay === null || plannedDays === undefined || days < plannedDays) return undefined;
  return days === plannedDays ? sums : await findSumsFrom(connection, run, endDay);
}

/** The last day of the plan; null without one. */
function plannedEndOf({ startedOn }: Run, { plan }: ExperimentEntry): string | null {
  return plan === null ? null : utcDay(Date.parse(startedOn) + (plan.days - 1) * DAY_MS);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
