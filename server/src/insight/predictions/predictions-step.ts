import type { Logger } from 'pino';
import { doneIf, type MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import type { DailyOptions, DailyResult } from './daily-work.js';

/** A game with 200,000 players takes a minute or two. Games that are not done by then are done in the next run. */
const MAX_MS = 55 * 60_000;

/**
 * The step of maintenance that grades and trains. It runs hourly, and usually finds nothing to do. Like every step, it runs on one
 * node at a time. `runInThread` does the work in another thread, because fitting models blocks a thread for seconds.
 */
export function predictionsStep(
  runInThread: (options: DailyOptions) => Promise<readonly DailyResult[]>,
  trainingDays: number,
  logger: Logger,
): MaintenanceStep {
  return {
    name: 'predictions',
    maxMs: MAX_MS,
    async run({ nowMs, signal }) {
      const results = await runInThread({ nowMs, trainingDays, signal });
      for (const result of results) logResult(logger, result);
      return doneIf(!signal.aborted, {
        gamesGraded: results.filter(({ isGraded }) => isGraded).length,
        gamesTrained: results.filter(({ trained }) => trained !== null).length,
        gamesFailed: results.filter(({ failure }) => failure !== null).length,
      });
    },
  };
}

function logResult(logger: Logger, { lost, regained, failure, ...result }: DailyResult): void {
  const { tenant, game } = result;
  if (lost.length > 0) {
    logger.error(
      { tenant, game, models: lost },
      'the predictions of these models were wrong; players get averages until they are right again',
    );
  }
  if (regained.length > 0) {
    logger.info(
      { tenant, game, models: regained },
      'the predictions of these models are right again; players get them',
    );
  }
  if (failure !== null) {
    logger.warn(
      { ...result, failure },
      'the models of a game could not be graded or trained; the next attempt is in an hour, after all other games',
    );
  } else if (result.trained !== null) {
    logger.info(result, 'the models of a game were trained');
  }
}
