import { Command } from 'commander';
import {
  findCurrentState,
  findModel,
  listModels,
  type ModelSummary,
  type StoredModel,
} from '../../core/predictions/model-queries.js';
import { GRADED_NAMES, MODEL_NAMES } from '../../decide/predict/artefact.js';
import { readArtefact } from '../../decide/predict/read-artefact.js';
import { versionNumber } from '../../liveops/cli/config-input.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { MAX_INTEGER } from '../../platform/lib/max-integer.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { type PageOptions, readPage, sayOlder, withPage } from '../../studio/cli/page-option.js';
import { printable } from '../../studio/cli/printable.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { wholeNumber } from '../../studio/cli/whole-number.js';
import { comparedModel } from '../predictions/compared-model.js';
import { listGrades } from '../predictions/grade-queries.js';
import { rollBackModel } from '../predictions/roll-back-model.js';
import { findFailure } from '../predictions/work-queries.js';
import { comparedLines, dataLines, decileLines, gradeLines, modelLines, sampleLine } from './model-table.js';

type GameOptions = { tenant: string; game: string };
type ModelOptions = GameOptions & { model?: string };

const SHOWN = 30;
const MAX_GRADE_DAYS = 366;
/** Two versions may be graded on one day. */
const GRADES_A_DAY = 2 * GRADED_NAMES.length;

export function modelCommands(): Command {
  const models = new Command('models').description('the models of predictions, and which one is in force');
  withPage(withGame(models.command('list')), SHOWN)
    .description('list trainings, newest first')
    .action(list);
  withGame(models.command('show'))
    .description('show a training: what it read, its parameters and how it was tested')
    .option('--model <number>', 'which one (default: the one in force)')
    .action(show);
  withGame(models.command('compare'))
    .description('compare the tests of two trainings')
    .requiredOption('--model <number>', 'which one')
    .option('--with <number>', 'with which one (default: the one in force)')
    .action(compare);
  withGame(models.command('grades'))
    .description('what was predicted, and what happened, day by day')
    .option('--days <number>', 'of how many days', String(SHOWN))
    .option('--deciles', 'also by tenths of the players')
    .action(grades);
  withGame(models.command('rollback').alias('roll-back'))
    .description('put an older training in force again')
    .requiredOption('--model <number>', 'the one to go back to')
    .action(rollBack);
  return models;
}

async function list({ tenant, game, ...options }: GameOptions & PageOptions): Promise<void> {
  const page = readPage(options, MAX_INTEGER);
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const current = await findCurrentState(pool, id);
    const models = await listModels(pool, id, page);
    const failed = await findFailure(pool, id);
    if (failed !== undefined) {
      say(
        `The service could not train or grade at ${isoTime(failed.failedAt)}: ${printable(failed.failure)}.`,
      );
    }
    if (models.length === 0 && page.before !== null) return say('There are no older trainings.');
    if (models.length === 0)
      return say(`Nothing has been trained yet. Train: savepoint train --tenant ${tenant} --game ${game}`);
    const rows = models.map((model) => [
      String(model.version),
      model.trainedDay,
      inForce(model, current?.modelVersion, current?.distrusted ?? []),
      model.report.models
        .map(({ model: name, outcome }) => `${name} ${outcome.replace('_', ' ')}`)
        .join(', '),
      model.author,
    ]);
    for (const line of tableLines(
      [['model', 'last day', 'state', 'outcome', 'by'], ...rows],
      (column) => column === 0,
    )) {
      say(line);
    }
    sayOlder(models, page.limit, ({ version }) => version);
  });
}

function inForce(
  { version, isPromoted }: ModelSummary,
  current: number | undefined,
  distrusted: readonly string[],
): string {
  if (version !== current) return isPromoted ? '' : 'refused';
  return distrusted.length === 0 ? 'in force' : `in force; not trusted: ${distrusted.join(', ')}`;
}

async function show({ tenant, game, model }: ModelOptions): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const found = await requireModel(pool, id, model, { tenant, game });
    say(
      `Model ${found.version}, trained by ${found.author} with all days until ${found.trainedDay} in ${(found.durationMs / 1_000).toFixed(1)} s.`,
    );
    say(sampleLine(found));
    const reading = readArtefact(found.artefact);
    if (!reading.readable)
      throw new StartupError(`Model ${found.version} cannot be used by this build: ${reading.problem}.`);
    for (const line of [...dataLines(found.report), ...modelLines(found.report, reading.artefact)]) say(line);
  });
}

async function compare({
  tenant,
  game,
  model,
  with: other,
}: ModelOptions & { with?: string }): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const pair = [
      await requireModel(pool, id, model, { tenant, game }),
      await requireModel(pool, id, other, { tenant, game }),
    ];
    for (const name of MODEL_NAMES) {
      say(`${name}:`);
      for (const stored of pair) {
        const [first, ...others] = comparedLines(comparedModel(stored, name));
        say(`  model ${stored.version}: ${first}`);
        for (const line of others) say(`  ${line}`);
      }
    }
  });
}

async function grades({
  tenant,
  game,
  days,
  deciles = false,
}: GameOptions & { days: string; deciles?: boolean }): Promise<void> {
  const wanted = wholeNumber('--days', days, 1, MAX_GRADE_DAYS);
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const sinceDay = dateOf(Math.floor((await commandActor(pool)).nowMs / DAY_MS) - wanted);
    const found = await listGrades(pool, id, { sinceDay, limit: wanted * GRADES_A_DAY });
    if (found.length === 0) {
      return say(
        'Nothing has been graded in these days. The service grades every day, once a model is in force.',
      );
    }
    for (const line of gradeLines(found)) say(line);
    if (deciles) for (const line of found.flatMap(decileLines)) say(line);
  });
}

/** That of a number, or the one in force. */
async function requireModel(
  pool: Pool,
  gameId: number,
  model: string | undefined,
  { tenant, game }: GameOptions,
): Promise<StoredModel> {
  const version = model === undefined ? undefined : versionNumber(model, '--model');
  const wanted = version ?? (await findCurrentState(pool, gameId))?.modelVersion;
  const found = wanted === undefined ? undefined : await findModel(pool, gameId, wanted);
  if (found !== undefined) return found;
  throw noSuchModel(model, { tenant, game });
}

function noSuchModel(model: string | undefined, { tenant, game }: GameOptions): StartupError {
  const where = `--tenant ${tenant} --game ${game}`;
  return new StartupError(
    model === undefined
      ? `Nothing has been trained yet. Train: savepoint train ${where}`
      : `There is no model ${model}. List them: savepoint models list ${where}`,
  );
}

async function rollBack({ tenant, game, model = '' }: ModelOptions): Promise<void> {
  const version = versionNumber(model, '--model');
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const outcome = await rollBackModel(pool, { gameId, version }, await commandActor(pool));
    switch (outcome.outcome) {
      case 'rolled_back':
        return say(
          `Model ${version} is in force again, instead of ${outcome.before}. Every node uses it from the next request on.`,
        );
      case 'unchanged':
        return say(`Model ${version} is in force already.`);
      case 'no_such_model':
        throw noSuchModel(model, { tenant, game });
      case 'unusable':
        throw new StartupError(`Model ${version} cannot be used by this build: ${outcome.problem}.`);
    }
  });
}
