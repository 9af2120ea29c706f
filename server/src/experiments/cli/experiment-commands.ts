import { Command, Option } from 'commander';
import { createPlayerSamples } from '../../liveops/audiences/player-samples.js';
import { CONFIRM_PRICE_RAISES, publicationRefusal } from '../../liveops/cli/publication-refusal.js';
import { readsOf } from '../../platform/db/reads.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { endExperiment } from '../end-experiment.js';
import { findWrittenExperiment, listExperiments, listOfferHoldouts } from '../experiment-views.js';
import { findExperimentOrFormer, listFormerExperiments, unknownSeed } from '../former-experiments.js';
import { findStanding } from '../grading/grade-queries.js';
import { NOT_GRADED } from '../grading/standing.js';
import { type Audience, planExperiment, planRequestOf, usualPlan } from '../plan-experiment.js';
import type { Report } from '../report/report-types.js';
import { exploreCommand } from './explore-command.js';

type Options = { tenant: string; game: string; json: boolean };

const JSON_OPTION = ['--json', 'print everything there is, as JSON', false] as const;

export function experimentCommands(): Command {
  const experiments = new Command('experiments').description(
    'what experiments have shown, plans, and the end',
  );
  withGame(experiments.command('list'))
    .description('list the experiments of the published version, with a sentence each')
    .option(...JSON_OPTION)
    .action(list);
  withGame(experiments.command('show <experiment-id>'))
    .description('show the newest report of an experiment, or the last one of a former experiment')
    .option('--seed <seed>', 'of an earlier run, if all players were drawn anew since')
    .option(...JSON_OPTION)
    .action(show);
  withGame(experiments.command('former'))
    .description('list experiments that the published version does not have any more, with a sentence each')
    .option(...JSON_OPTION)
    .action(former);
  withGame(experiments.command('holdouts'))
    .description('compare the players who are held out of single offers with those who get them')
    .option(...JSON_OPTION)
    .action(holdouts);
  exploreCommand(experiments);
  withGame(experiments.command('plan [experiment-id]'))
    .description('how many players and days it needs, from the figures of the game')
    .addOption(
      new Option('--audience <players>', 'all players, or only those who start meanwhile')
        .choices(['all', 'new'])
        .default('all'),
    )
    .option(...JSON_OPTION)
    .action(plan);
  withGame(experiments.command('grades'))
    .description('how many hidden A/A experiments gave a false alarm, and whether that is chance')
    .option(...JSON_OPTION)
    .action(grades);
  withGame(experiments.command('end <experiment-id>'))
    .description('end a running experiment: everybody who may enter gets the winner, in one publication')
    .requiredOption('--winner <variant-id>', 'the variant that everybody gets')
    .option('--note <text>', 'why', '')
    .option(...CONFIRM_PRICE_RAISES)
    .option(...JSON_OPTION)
    .action(end);
  return experiments;
}

async function list({ tenant, game, json }: Options): Promise<void> {
  const experiments = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return listExperiments(pool, id, (await commandActor(pool)).nowMs);
  });
  if (json) return say(JSON.stringify(experiments, null, 2));
  if (experiments.length === 0) say('The published version has no experiments.');
  for (const { experiment, sentence } of experiments) {
    say(`${experiment.experimentId}  ${experiment.state}\n    ${printable(sentence)}`);
  }
}

async function show(
  experimentId: string,
  { tenant, game, json, seed }: Options & { seed?: string },
): Promise<void> {
  const found = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const { nowMs } = await commandActor(pool);
    const run = { experimentId, seed };
    const shown = await findExperimentOrFormer(pool, id, run, nowMs);
    if (shown !== undefined) return shown;
    const why = await unknownSeed(pool, id, run, nowMs);
    throw why === undefined ? noSuchExperiment(experimentId) : new StartupError(printable(why));
  });
  if (json) return say(JSON.stringify(found, null, 2));
  say(printable(found.sentence));
  if (found.report !== null) for (const line of reportLines(found.report)) say(printable(line));
}

async function former({ tenant, game, json }: Options): Promise<void> {
  const experiments = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return listFormerExperiments(pool, id, (await commandActor(pool)).nowMs);
  });
  if (json) return say(JSON.stringify(experiments, null, 2));
  if (experiments.length === 0) say('Every experiment with a report is in the published version.');
  for (const { experiment, sentence, report } of experiments) {
    const days = report === null ? '' : `  ${report.from} to ${report.to}`;
    say(`${experiment.experimentId}  seed ${experiment.seed}${days}\n    ${printable(sentence)}`);
  }
}

async function holdouts({ tenant, game, json }: Options): Promise<void> {
  const offers = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return listOfferHoldouts(pool, id, (await commandActor(pool)).nowMs);
  });
  if (json) return say(JSON.stringify(offers, null, 2));
  if (offers.length === 0) say('No offer of the published version has a holdoutPercent above 0.');
  for (const { offerId, holdoutPercent, sentence, report } of offers) {
    say(`${offerId}  ${holdoutPercent}% held out\n    ${printable(sentence)}`);
    if (report !== null) for (const line of reportLines(report)) say(`    ${printable(line)}`);
  }
}

function reportLines({ from, to, days, arms, gates, metrics, wouldChange }: Report): string[] {
  return [
    `${from} to ${to} (UTC), ${days} days`,
    ...tableLines(
      [
        ['arm', 'players', 'erased'],
        ...arms.map((arm) => [arm.variantId, grouped(arm.players), grouped(arm.erasedPlayers)]),
      ],
      (column) => column > 0,
    ),
    ...gates.map(({ sentence }) => `! ${sentence}`),
    ...metrics.flatMap(({ title, role, arms: ofMetric, narrowing }) => [
      `${title} (${role}): ${ofMetric.map(({ variantId, mean }) => `${variantId} ${mean ?? '–'}`).join(', ')}`,
      ...ofMetric.flatMap(({ comparison }) => (comparison === null ? [] : [`    ${comparison.sentence}`])),
      ...(narrowing ? [`    ${narrowing.sentence}`] : []),
    ]),
    ...wouldChange.map((sentence) => `What would change the verdict: ${sentence}`),
  ];
}

async function plan(
  experimentId: string | undefined,
  { tenant, game, json, audience }: Options & { audience: Audience },
): Promise<void> {
  const planned = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const { nowMs } = await commandActor(pool);
    const samples = createPlayerSamples(readsOf(pool), { now: () => nowMs });
    if (experimentId === undefined) return planExperiment(pool, samples, usualPlan(id, audience), nowMs);
    const experiment = await findWrittenExperiment(pool, id, experimentId, nowMs);
    if (experiment === undefined) throw notPlannable(experimentId);
    return planExperiment(pool, samples, planRequestOf(experiment, id, audience), nowMs);
  });
  if (json) return say(JSON.stringify(planned, null, 2));
  for (const { sentence } of planned.plans) say(printable(sentence));
}

async function grades({ tenant, game, json }: Options): Promise<void> {
  const found = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return findStanding(pool, id);
  });
  const standing = found?.standing ?? NOT_GRADED;
  if (json) return say(JSON.stringify({ night: found?.night ?? null, ...standing }, null, 2));
  say(standing.sentence);
  const rows = standing.metrics.map((line) => [
    ...[printable(line.title), line.state, grouped(line.alarms), grouped(line.judged)],
    ...[grouped(line.mostByChance), grouped(line.tooFew)],
  ]);
  if (rows.length === 0) return;
  const head = ['metric', 'state', 'false alarms', 'of', 'bound', 'too few players'];
  for (const line of tableLines([head, ...rows], (column) => column > 1)) say(line);
}

async function end(
  experimentId: string,
  {
    tenant,
    game,
    json,
    ...decision
  }: Options & { winner: string; note: string; confirmPriceRaises: boolean },
): Promise<void> {
  const outcome = await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    return endExperiment(pool, { ...decision, gameId, experimentId }, await commandActor(pool));
  });
  const { winner } = decision;
  switch (outcome.outcome) {
    case 'published':
      return say(
        json
          ? JSON.stringify({ version: outcome.version }, null, 2)
          : `Published version ${outcome.version}: ${experimentId} is ${winner} for everybody who may enter.`,
      );
    case 'no_such_experiment':
      throw noSuchExperiment(experimentId);
    case 'not_running':
      throw new StartupError(`${experimentId} does not run.`);
    case 'no_such_variant':
      throw new StartupError(`--winner must be ${outcome.variants.join(' or ')}.`);
    case 'unchanged':
      throw new StartupError(`Nothing was published: version ${outcome.version} is the same.`);
    default:
      throw publicationRefusal(`${tenant}/${game}`, `Ending ${experimentId} with ${winner}`, outcome);
  }
}

function noSuchExperiment(experimentId: string): StartupError {
  return new StartupError(
    `There is no experiment "${printable(experimentId)}". List them: savepoint experiments list`,
  );
}

/** It may be none of those that `list` shows: a plan comes before the first publication. */
function notPlannable(experimentId: string): StartupError {
  return new StartupError(
    `The experiment "${printable(experimentId)}" cannot be planned: it has to be in the draft of the game or, where there is no draft, in the published version. Without an id the usual metrics are planned: savepoint experiments plan`,
  );
}
