import type { Pool } from '../../db/pool.js';
import { DAY_MS } from '../../lib/day.js';
import type { ModelName } from '../../personalisation/predict/artefact.js';
import { serviceActor } from '../studios/audit-log.js';
import { listPredictedGames, type PredictedGame } from './daily-queries.js';
import { gradeGame } from './grade-game.js';
import { trainGame } from './train-game.js';
import { dateOf } from './training-data-reader.js';

export type DailyOptions = Readonly<{
  nowMs: number;
  /** Days between two trainings of a game; 0: it is only graded. */
  trainingDays: number;
  signal: AbortSignal;
}>;

/** What was done for a game. */
export type DailyResult = Readonly<{
  tenant: string;
  game: string;
  isGraded: boolean;
  lost: readonly ModelName[];
  regained: readonly ModelName[];
  /** The number of the new model; null where none was trained. */
  trained: number | null;
  promoted: readonly ModelName[];
  seconds: number;
  /** Why it was given up; it is tried again in an hour. */
  failure: string | null;
}>;

/** Grades and trains each game that is due, one after the other. A game that fails does not keep the others from their turn. */
export async function runDailyPredictions(pool: Pool, options: DailyOptions): Promise<DailyResult[]> {
  const yesterday = Math.floor(options.nowMs / DAY_MS) - 1;
  const results: DailyResult[] = [];
  for (const game of await listPredictedGames(pool)) {
    if (options.signal.aborted) break;
    const isGradeDue = game.trainedDay !== null && game.gradedDay !== dateOf(yesterday);
    const isTrainingDue = isDue(game.trainedDay, yesterday, options.trainingDays);
    if (isGradeDue || isTrainingDue) {
      results.push(await workOn(pool, game, { isGradeDue, isTrainingDue }, options));
    }
  }
  return results;
}

function isDue(trainedDay: string | null, yesterday: number, trainingDays: number): boolean {
  if (trainingDays === 0) return false;
  return trainedDay === null || Date.parse(trainedDay) / DAY_MS + trainingDays <= yesterday;
}

type Due = Readonly<{ isGradeDue: boolean; isTrainingDue: boolean }>;

async function workOn(
  pool: Pool,
  { gameId, tenant, game }: PredictedGame,
  { isGradeDue, isTrainingDue }: Due,
  { nowMs, signal }: DailyOptions,
): Promise<DailyResult> {
  const started = performance.now();
  const actor = serviceActor(nowMs);
  let result: Omit<DailyResult, 'seconds'> = {
    ...{ tenant, game, isGraded: false, trained: null, failure: null },
    ...{ lost: [], regained: [], promoted: [] },
  };
  try {
    // First, so that a training knows which models have lost trust.
    const graded = isGradeDue ? await gradeGame(pool, { gameId, actor }) : undefined;
    if (graded !== undefined) {
      result = { ...result, isGraded: true, lost: graded.lost, regained: graded.regained };
    }
    const trained = isTrainingDue ? await trainGame(pool, { gameId, actor, signal }) : undefined;
    if (trained?.outcome === 'trained') {
      const { models } = trained.report;
      const promoted = models.filter(({ outcome }) => outcome === 'promoted').map(({ model }) => model);
      result = { ...result, trained: trained.version, promoted: trained.isPromoted ? promoted : [] };
    }
  } catch (error) {
    result = { ...result, failure: error instanceof Error ? error.message : String(error) };
  }
  return { ...result, seconds: Number(((performance.now() - started) / 1_000).toFixed(3)) };
}
