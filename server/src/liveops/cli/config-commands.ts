import { Command } from 'commander';
import { findConfigVersion, listConfigVersions } from '../../core/configs/config-queries.js';
import { ATTRIBUTES } from '../../decide/attributes/attributes.js';
import { MAX_INTEGER } from '../../platform/lib/max-integer.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { type PageOptions, readPage, sayOlder, withPage } from '../../studio/cli/page-option.js';
import { say, tell, withDatabase } from '../../studio/cli/terminal.js';
import { findDraft, publishDraft } from '../configs/draft.js';
import { type PublishOutcome, publishConfig, rollBackConfig } from '../configs/publish.js';
import { backTestCommand } from './back-test-command.js';
import { noSuchVersion, parseDocument, versionNumber } from './config-input.js';
import { configTypesCommand } from './config-types-command.js';
import { dryRunCommand } from './dry-run-command.js';
import { ownAttributesCommand } from './own-attributes-command.js';
import { CONFIRM_PRICE_RAISES, differenceLines, publicationRefusal } from './publication-refusal.js';

type GameOptions = { tenant: string; game: string };
type PublishOptions = GameOptions & {
  note: string;
  confirmPriceRaises: boolean;
  confirmLostValues: boolean;
  basedOn?: string;
};

const HELP = `
A document holds everything that decides what a game's players are told: flags, segments, catalogue, store
settings, offers, typed values, experiments, own attributes, and settings of prices and schedules. Begin with the one in force:

  savepoint config show --tenant my-studio --game my-game > config.json
  savepoint config publish --tenant my-studio --game my-game --file config.json --based-on 7

The first says which version it printed. With its number, the second publishes nothing if somebody has published since.

Prices are texts, so that they stay exact. Every node serves the new version from the next request on.
docs/personalisation.md explains each part; savepoint config attributes lists what rules can ask.`;

export function configCommands(): Command {
  const config = new Command('config').description(
    'the published configuration of a game: flags, segments, catalogue, offers, values, experiments and own attributes',
  );
  withChecks(withGame(config.command('publish')))
    .description('publish a document, or the draft, as the next version')
    .option('--file <path>', 'the document, JSON')
    .option('--draft', 'the draft, as it is now', false)
    .option('--note <text>', 'what changed', '')
    .addHelpText('after', HELP)
    .action(publish);
  config.addCommand(dryRunCommand());
  config.addCommand(backTestCommand());
  config.addCommand(configTypesCommand());
  withGame(config.command('show'))
    .description('print a published document')
    .option('--config-version <number>', 'an older version (default: the one in force)')
    .action(show);
  withPage(withGame(config.command('list')), 100)
    .description('list the published versions, newest first')
    .action(list);
  withChecks(withGame(config.command('roll-back')))
    .description('publish an older version again')
    .requiredOption('--config-version <number>', 'the version to go back to')
    .option('--note <text>', 'why', '')
    .action(rollBack);
  config
    .command('attributes')
    .description('list what rules can ask about a player')
    .action(() => {
      for (const { usage, type, description } of ATTRIBUTES) say(`${usage}\n    ${type}. ${description}`);
    });
  config.addCommand(ownAttributesCommand());
  return config;
}

/** The reasons for which a publication may be refused, and the options that confirm it beforehand. */
function withChecks(command: Command): Command {
  return command
    .option('--based-on <number>', 'only if this version is in force: the one that you have seen')
    .option(...CONFIRM_PRICE_RAISES)
    .option('--confirm-lost-values', 'publish even if builds in use may ask for values that are lost', false);
}

function baseOf({ basedOn }: PublishOptions): { basedOn?: number } {
  return basedOn === undefined ? {} : { basedOn: versionNumber(basedOn, '--based-on') };
}

async function publish(options: PublishOptions & { file?: string; draft: boolean }): Promise<void> {
  const { tenant, game, file, draft, note, confirmPriceRaises, confirmLostValues } = options;
  if ((file !== undefined) === draft) throw new StartupError('Give --file or --draft, one of the two.');
  if (draft && options.basedOn !== undefined) {
    throw new StartupError('A draft knows the version that it is based on: give --based-on with --file.');
  }
  const base = baseOf(options);
  const document = file === undefined ? undefined : parseDocument(file, await readGivenFile(file));
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const actor = await commandActor(pool);
    const publication = { gameId, note, confirmPriceRaises, confirmLostValues };
    const outcome = draft
      ? await publishDraft(
          pool,
          { ...publication, revision: (await findDraft(pool, gameId)).revision },
          actor,
        )
      : await publishConfig(pool, { ...publication, ...base, document }, actor);
    if (outcome.outcome === 'draft_conflict') {
      throw new StartupError(`The draft was changed meanwhile by ${outcome.updatedBy}. Try again.`);
    }
    sayPublished(`${tenant}/${game}`, file ?? 'The draft', outcome);
  });
}

async function rollBack(options: PublishOptions & { configVersion: string }): Promise<void> {
  const { tenant, game, configVersion, note, confirmPriceRaises, confirmLostValues } = options;
  const version = versionNumber(configVersion);
  const base = baseOf(options);
  await withDatabase(async ({ pool }) => {
    const { id: gameId, publishedVersion } = await requireGame(pool, tenant, game);
    const actor = await commandActor(pool);
    const rollback = { gameId, version, note, confirmPriceRaises, confirmLostValues, ...base };
    const outcome = await rollBackConfig(pool, rollback, actor);
    if (outcome.outcome === 'no_such_version') throw noSuchVersion(configVersion, publishedVersion);
    sayPublished(`${tenant}/${game}`, `Version ${version}`, outcome);
  });
}

function sayPublished(game: string, what: string, outcome: PublishOutcome): void {
  switch (outcome.outcome) {
    case 'published':
      say(`Published version ${outcome.version} of ${game}; every node serves it from the next request on.`);
      for (const line of differenceLines(outcome.difference)) say(line);
      return;
    case 'unchanged':
      say(`Nothing to publish: version ${outcome.version} of ${game} is the same.`);
      return;
    default:
      throw publicationRefusal(game, what, outcome);
  }
}

async function list({ tenant, game, ...options }: GameOptions & PageOptions): Promise<void> {
  const page = readPage(options, MAX_INTEGER);
  await withDatabase(async ({ pool }) => {
    const { id, publishedVersion } = await requireGame(pool, tenant, game);
    const versions = await listConfigVersions(pool, id, page);
    if (versions.length === 0) {
      say(
        page.before === null
          ? `Nothing is published for ${tenant}/${game} yet.`
          : 'There are no older versions.',
      );
    }
    for (const { version, author, note, publishedAt, copyOf } of versions) {
      const mark = version === publishedVersion ? '*' : ' ';
      const copy = copyOf === null ? '' : ` (version ${copyOf} again)`;
      say(`${mark} ${version}  ${new Date(publishedAt).toISOString()}  ${author}${copy}  ${note}`);
    }
    sayOlder(versions, page.limit, ({ version }) => version);
  });
}

async function show({
  tenant,
  game,
  configVersion,
}: GameOptions & { configVersion?: string }): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id, publishedVersion } = await requireGame(pool, tenant, game);
    const version = configVersion === undefined ? publishedVersion : versionNumber(configVersion);
    const found = await findConfigVersion(pool, id, version);
    if (found === undefined) throw noSuchVersion(configVersion ?? String(version), publishedVersion);
    // Not on standard output, which is the document and goes into a file.
    tell(`This is version ${version}; ${publishedVersion} is in force.`);
    say(JSON.stringify(found.document, null, 2));
  });
}
