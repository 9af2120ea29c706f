import { Command } from 'commander';
import { findConfigVersion, listConfigVersions } from '../features/config/config-queries.js';
import { type PublishOutcome, publishConfig, rollBackConfig } from '../features/config/publish.js';
import { ATTRIBUTES } from '../features/personalisation/attributes.js';
import type { DocumentProblem } from '../features/personalisation/document-problems.js';
import { StartupError } from '../lib/startup-error.js';
import { requireGame, withGame } from './game-option.js';
import { currentUser, readGivenFile } from './given-file.js';
import { say, withDatabase } from './terminal.js';

type GameOptions = { tenant: string; game: string };
type PublishOptions = GameOptions & { note: string; confirmPriceRaises: boolean };

const HELP = `
A document holds all that a game's players are told beyond what they did themselves: flags, segments, catalogue, store
settings and offers. Begin with the one in force:

  savepoint config show --tenant my-studio --game my-game > config.json

Prices are texts, so that they stay exact. Every node serves the new version from the next request on.
docs/personalisation.md explains each part; savepoint config attributes lists what rules can ask.`;

export function configCommands(): Command {
  const config = new Command('config').description(
    'the published configuration of a game: flags, segments, catalogue and offers',
  );
  withRaises(withGame(config.command('publish')))
    .description('publish a document as the next version')
    .requiredOption('--file <path>', 'the document, JSON')
    .option('--note <text>', 'what changed', '')
    .addHelpText('after', HELP)
    .action(publish);
  withGame(config.command('show'))
    .description('print a published document')
    .option('--config-version <number>', 'an older version (default: the one in force)')
    .action(show);
  withGame(config.command('list')).description('list the published versions').action(list);
  withRaises(withGame(config.command('roll-back')))
    .description('publish an older version again')
    .requiredOption('--config-version <number>', 'the version to go back to')
    .option('--note <text>', 'why', '')
    .action(rollBack);
  config
    .command('attributes')
    .description('list what rules can ask about a player')
    .action(() => {
      for (const { usage, type, meaning } of ATTRIBUTES) say(`${usage}\n    ${type}. ${meaning}`);
    });
  return config;
}

function withRaises(command: Command): Command {
  return command.option('--confirm-price-raises', 'also if prices inside of running offers go up', false);
}

async function publish({
  tenant,
  game,
  file,
  note,
  confirmPriceRaises,
}: PublishOptions & { file: string }): Promise<void> {
  const document = parse(file, await readGivenFile(file));
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const actor = { name: currentUser(), nowMs: Date.now() };
    const outcome = await publishConfig(pool, { gameId, document, note, confirmPriceRaises }, actor);
    sayPublished(`${tenant}/${game}`, file, outcome);
  });
}

async function rollBack({
  tenant,
  game,
  configVersion,
  note,
  confirmPriceRaises,
}: PublishOptions & { configVersion: string }): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id: gameId, publishedVersion } = await requireGame(pool, tenant, game);
    const actor = { name: currentUser(), nowMs: Date.now() };
    const version = versionNumber(configVersion);
    const outcome = await rollBackConfig(pool, { gameId, version, note, confirmPriceRaises }, actor);
    if (outcome.outcome === 'no_such_version') throw noSuchVersion(configVersion, publishedVersion);
    sayPublished(`${tenant}/${game}`, `Version ${version}`, outcome);
  });
}

function sayPublished(game: string, what: string, outcome: PublishOutcome): void {
  switch (outcome.outcome) {
    case 'published':
      say(`Published version ${outcome.version} of ${game}; every node serves it from the next request on.`);
      for (const { path, change } of outcome.difference) say(`  ${change.padEnd(9)} ${path}`);
      return;
    case 'unchanged':
      say(`Nothing to publish: version ${outcome.version} of ${game} is the same.`);
      return;
    case 'invalid':
      throw new StartupError(`${what} cannot be published:\n${outcome.problems.map(problemLine).join('\n')}`);
    case 'price_raise': {
      const raises = outcome.raises.map(
        ({ offerId, skuId, currency, from, to }) =>
          `  - ${skuId} in the running offer ${offerId}: ${from} to ${to} ${currency}`,
      );
      throw new StartupError(
        `${what} would raise prices that players see now:\n${raises.join('\n')}\nIf that is meant, add --confirm-price-raises.`,
      );
    }
    case 'conflict':
      throw new StartupError(
        `Version ${outcome.version} was published meanwhile by ${outcome.author}. Try again.`,
      );
  }
}

function problemLine({ pointer, message, position }: DocumentProblem): string {
  const where = position === null ? '' : ` (line ${position.line}, column ${position.column} of the rule)`;
  return `  - ${pointer || '/'}${where} ${message}`;
}

async function list({ tenant, game }: GameOptions): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id, publishedVersion } = await requireGame(pool, tenant, game);
    const versions = await listConfigVersions(pool, id, { before: null, limit: 100 });
    if (versions.length === 0) say(`Nothing is published for ${tenant}/${game} yet.`);
    for (const { version, author, note, publishedAt, copyOf } of versions) {
      const mark = version === publishedVersion ? '*' : ' ';
      const copy = copyOf === null ? '' : ` (version ${copyOf} again)`;
      say(`${mark} ${version}  ${new Date(publishedAt).toISOString()}  ${author}${copy}  ${note}`);
    }
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
    say(JSON.stringify(found.document, null, 2));
  });
}

function versionNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new StartupError(`--config-version is "${text}": give a number, such as 3.`);
}

function noSuchVersion(version: string, publishedVersion: number): StartupError {
  return new StartupError(`There is no version ${version}; the one in force is ${publishedVersion}.`);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartupError(`${file} is not JSON: ${(error as Error).message}`);
  }
}
