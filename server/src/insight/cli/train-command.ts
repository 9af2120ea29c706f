import { Command } from 'commander';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { type TrainOutcome, type TrainProgress, trainGame } from '../predictions/train-game.js';
import { dataLines, modelLines, sampleLine } from './model-table.js';

const HELP = `
Learns from all days that are over (UTC) when players return and what they spend, and puts the models in force that do better on
the newest week than those that are. The service does the same every day (SAVEPOINT_TRAINING_DAYS).

  savepoint train --tenant my-studio --game my-game
  savepoint models list --tenant my-studio --game my-game

docs/predictions.md explains the report.`;

export function trainCommand(): Command {
  return withGame(new Command('train'))
    .description('train the models of predictions now, and report the result')
    .addHelpText('after', HELP)
    .action(run);
}

async function run({ tenant, game }: { tenant: string; game: string }): Promise<void> {
  await withDatabase(async ({ pool }, _, signal) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const line = createProgressLine();
    const outcome = await trainGame(pool, {
      gameId,
      actor: await commandActor(pool),
      signal,
      onProgress: (progress) => line.show(describe(progress)),
    }).finally(() => line.end());
    if (outcome.outcome !== 'trained') {
      throw new StartupError('Another training of this game is running. Try again when it is done.');
    }
    for (const text of reportLines(outcome)) say(text);
  }, 'Nothing was changed.');
}

function describe({ phase, done, total }: TrainProgress): string {
  return phase === 'reading'
    ? `${progressBar(done, total)} read ${grouped(done)} of ${grouped(total)} players`
    : 'fitting and testing the models…';
}

type Trained = Extract<TrainOutcome, { outcome: 'trained' }>;

function reportLines({ version, isPromoted, report, sample, artefact, readMs, fitMs }: Trained): string[] {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return [
    sampleLine(sample),
    `Grouped into ${report.cells.toLocaleString('en-US')} cells of equal players over 12 weeks in ${seconds(readMs)} s; fitted and tested in ${seconds(fitMs)} s.`,
    ...dataLines(report),
    '',
    ...modelLines(report, artefact),
    '',
    isPromoted
      ? `Model ${version} is in force.`
      : `Model ${version} is kept, and is not in force: what is in force stays.`,
  ];
}
