import type { GradedName, ModelName } from '../../decide/predict/artefact.js';
import { serviceActor } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';
import { clockFrom } from '../../platform/lib/clock.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';
import { listPredictedGames, type PredictedGame } from './daily-queries.js';
import { gradeGame } from './grade-game.js';
import { trainGame } from './train-game.js';
import { noteFailure, noteGraded } from './work-queries.js';

export type DailyOptions = Readonly<{
  nowMs: number;
  /** Days between two trainings of a game; 0: games are only graded. */
  trainingDays: number;
  signal: AbortSignal;
}>;

/** What was done for a game. */
export type DailyResult = Readonly<{
  tenant: string;
  game: string;
  isGraded: boolean;
  lost: readonly GradedName[];
  regained: readonly GradedName[];
  /** The number of the new model; null if none was trained. */
  trained: number | null;
  promoted: readonly ModelName[];
  seconds: number;
  /** Why the work failed. It is tried again in an hour, after all other games. */
  failure: string | null;
}>;

export type DueGame = Pick<PredictedGame, 'gameId' | 'tenant' | 'game'> &
  Readonly<{ isGradeDue: boolean; isTrainingDue: boolean }>;

/** The games that are due for grading or training, in the order of work. */
export async function listDueGames(
  pool: Pool,
  { nowMs, trainingDays }: Pick<DailyOptions, 'nowMs' | 'trainingDays'>,
): Promise<DueGame[]> {
  const yesterday = Math.floor(nowMs / DAY_MS) - 1;
  const games = await listPredictedGames(pool);
  return games
    .map(({ gameId, tenant, game, trainedDay, gradedDay }) => ({
      gameId,
      tenant,
      game,
      isGradeDue: trainedDay !== null && gradedDay !== dateOf(yesterday),
      isTrainingDue: isDue(trainedDay, yesterday, trainingDays),
    }))
    .filter(({ isGradeDue, isTrainingDue }) => isGradeDue || isTrainingDue);
}

function isDue(trainedDay: string | null, yesterday: number, trainingDays: number): boolean {
  if (trainingDays === 0) return false;
  return trainedDay === null || Date.parse(trainedDay) / DAY_MS + trainingDays <= yesterday;
}

/** Grades and trains a game. A failure is returned and noted: the next time, the game comes after all others. */
export async function workOnGame(
  pool: Pool,
  { gameId, tenant, game, isGradeDue, isTrainingDue }: DueGame,
  { nowMs, signal }: Pick<DailyOptions, 'nowMs'> & { signal?: AbortSignal },
): Promise<DailyResult> {
  const started = performance.now();
  const clock = clockFrom(nowMs);
  let result: Omit<DailyResult, 'seconds'> = nothingDone({ tenant, game });
  try {
    // Grading comes first, so that a training knows which models have lost trust.
    const graded = isGradeDue ? await gradeGame(pool, { gameId, actor: serviceActor(nowMs) }) : undefined;
    if (isGradeDue) await noteGraded(pool, gameId, dateOf(Math.floor(nowMs / DAY_MS) - 1));
    if (graded !== undefined) {
      result = { ...result, isGraded: true, lost: graded.lost, regained: graded.regained };
    }
    const trained = isTrainingDue
      ? await trainGame(pool, { gameId, actor: serviceActor(clock.now()), signal, dropsUnchanged: true })
      : undefined;
    if (trained?.outcome === 'trained') {
      const { models } = trained.report;
      const promoted = models.filter(({ outcome }) => outcome === 'promoted').map(({ model }) => model);
      result = { ...result, trained: trained.version, promoted: trained.isPromoted ? promoted : [] };
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    result = { ...result, failure };
    await noteFailure(pool, { gameId, failure }, nowMs);
  }
  return { ...result, seconds: Number(((performance.now() - started) / 1_000).toFixed(3)) };
}

/** The result for a game whose work was interrupted or has not begun. */
export function nothingDone({ tenant, game }: Pick<DueGame, 'tenant' | 'game'>): DailyResult {
  return {
    tenant,
    game,
    isGraded: false,
    trained: null,
    failure: null,
    lost: [],
    regained: [],
    promoted: [],
    seconds: 0,
  };
}
