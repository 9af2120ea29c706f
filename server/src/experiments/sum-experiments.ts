import type { ConfigDocument } from '../decide/document/document.js';
import { isHoldoutOver, measuredExperiments } from '../decide/document/offer-holdouts.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { type DedicatedConnection, inTransaction } from '../platform/db/dedicated-connection.js';
import type { Pool } from '../platform/db/pool.js';
import { DAY_MS, utcDay } from '../platform/lib/day.js';
import type { RateTable } from '../studio/money/exchange-rates.js';
import { findRateTable } from '../studio/money/rate-queries.js';
import { armChangesOf, PublishedVersions } from './arm-changes.js';
import { type RunKey, walkInOrder } from './exposure-queries.js';
import { fromKeptKeys } from './report/erased-currency.js';
import { type ExperimentSums, mergeExperimentSums } from './report/experiment-sums.js';
import { reportOf } from './report/report.js';
import {
  endRuns,
  listDueRuns,
  listRunningGames,
  type Run,
  updateArmChanges,
  updateSummed,
  upsertRuns,
} from './run-queries.js';
import { type MeasuredRun, type SumPlayersOptions, sumPlayers } from './sum-players.js';
import {
  deleteEndedSums,
  deleteOldSums,
  findErasedSums,
  findSumsFrom,
  upsertReport,
  upsertSums,
} from './sum-queries.js';

export type SumOptions = Pick<SumPlayersOptions, 'signal' | 'playersPerChunk'> &
  Readonly<{ pool: Pool; nowMs: number }>;

export type SumResult = Readonly<{ isDone: boolean; experimentsSummed: number }>;

/** Their sums are in memory together: usually a few hundred kilobytes of each, with the most arms and metrics some megabytes. */
const RUNS_TOGETHER = 10;
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
  for (const runs of togetherOf(await listDueRuns(connection, to), to)) {
    if (options.signal?.aborted) return { isDone: false, experimentsSummed };
    experimentsSummed += await sumTogether(connection, runs, to, { ...options, versions, failures });
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

/**
 * Those of the same game, some at a time, in the order in which they come. Runs whose walk was interrupted are together as they were: with another one
 * among them, such as one that has just been published or asked for, it would begin anew.
 */
function togetherOf(runs: readonly Run[], to: string): Run[][] {
  const textOf = ({ gameId, experimentId, seed }: RunKey) => JSON.stringify([gameId, experimentId, seed]);
  const walked = new Map<string, Run[]>();
  for (const { gameId, walk } of runs) {
    const group: Run[] = [];
    if (walk?.to === to) for (const key of walk.runs) walked.set(textOf({ gameId, ...key }), group);
  }
  const groups = new Set<Run[]>();
  /** By game, the one that others can join. */
  const open = new Map<number, Run[]>();
  for (const run of runs) {
    const ofWalk = walked.get(textOf(run));
    const group = ofWalk ?? open.get(run.gameId) ?? [];
    groups.add(group);
    group.push(run);
    if (ofWalk !== undefined) continue;
    if (group.length < RUNS_TOGETHER) open.set(run.gameId, group);
    else open.delete(run.gameId);
  }
  return [...groups];
}

/** How many came to the end. */
async function sumTogether(
  connection: DedicatedConnection,
  runs: readonly Run[],
  to: string,
  { versions, failures, ...options }: SumOptions & { versions: PublishedVersions; failures: unknown[] },
): Promise<number> {
  /** The others are summed all the same. */
  const attempt = <T>(work: () => Promise<T>) =>
    work().catch((error: unknown) => {
      failures.push(error);
      return undefined;
    });
  const measured: MeasuredRun[] = [];
  for (const run of runs) {
    const found = await attempt(() => findMeasuredRun(connection, versions, run, to));
    if (found !== undefined) measured.push(found);
  }
  const [first] = measured;
  if (first === undefined) return 0;
  const rates = await findRateTable(connection, first.gameId);
  let summed = 0;
  const sumAll = async (together: readonly MeasuredRun[]) => {
    const living = await sumPlayers(connection, together, { to, rates, ...options });
    for (const [at, sums] of (living ?? []).entries()) {
      const run = together[at];
      if (run === undefined) continue;
      await attempt(async () => {
        await keepSums(connection, run, sums, { to, rates, nowMs: options.nowMs });
        summed++;
      });
    }
  };
  try {
    await sumAll(measured);
  } catch (error) {
    failures.push(error);
    // One of them may be the reason, and must not hold up the others.
    if (measured.length > 1) {
      for (const run of measured) {
        if (options.signal?.aborted) break;
        await attempt(() => sumAll([run]));
      }
    }
  }
  return summed;
}

/** Undefined if the run is over, or about to be ended. */
async function findMeasuredRun(
  connection: DedicatedConnection,
  versions: PublishedVersions,
  run: Run,
  to: string,
): Promise<MeasuredRun | undefined> {
  const { document, armChanges } = await findArmChanges(connection, versions, run);
  const experiment = measuredExperiments(document).find(
    ({ experimentId }) => experimentId === run.experimentId,
  );
  if (experiment === undefined || experiment.seed !== run.seed) return undefined;
  // The last report stays.
  if (isHoldoutOver(document.offers, run.experimentId, to)) return undefined;
  return { ...run, armChanges, experiment };
}

/** Adds the sums of erased players, and keeps the sums and the report of the day. */
async function keepSums(
  connection: DedicatedConnection,
  { experiment, armChanges, ...run }: MeasuredRun,
  living: ExperimentSums,
  { to, rates, nowMs }: { to: string; rates: RateTable | null; nowMs: number },
): Promise<void> {
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
    await upsertReport(connection, run, { day: to, report, nowMs });
    await updateSummed(connection, run, { to, nowMs });
  });
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

/** The sums of the last day of the plan, once it is over. */
async function findPlannedEnd(
  connection: DedicatedConnection,
  run: RunKey & Pick<Run, 'startedOn'>,
  { experiment, days, sums }: { experiment: ExperimentEntry; days: number; sums: ExperimentSums },
): Promise<ExperimentSums | undefined> {
  const endDay = plannedEndOf(run, experiment);
  const plannedDays = experiment.plan?.days;
  if (endDay === null || plannedDays === undefined || days < plannedDays) return undefined;
  return days === plannedDays ? sums : await findSumsFrom(connection, run, endDay);
}

/** The last day of the plan; null without one. */
function plannedEndOf({ startedOn }: Pick<Run, 'startedOn'>, { plan }: ExperimentEntry): string | null {
  return plan === null ? null : utcDay(Date.parse(startedOn) + (plan.days - 1) * DAY_MS);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
