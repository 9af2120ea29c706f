import { Command } from 'commander';
import { checkDocument } from '../features/config/check-document.js';
import { findConfigVersion, publishConfig } from '../features/config/config-queries.js';
import { StartupError } from '../lib/startup-error.js';
import { requireGame, withGame } from './game-option.js';
import { currentUser, readGivenFile } from './given-file.js';
import { say, withDatabase } from './terminal.js';

type GameOptions = { tenant: string; game: string };

const HELP = `
A document holds all that a game's players are told beyond what they did themselves:

  {
    "flags": { "isPayer": { "payerForDays": null } },
    "store": {
      "sendFallback": true,
      "skus": [
        { "skuId": "gems_80", "name": "Handful of Gems", "description": "80 gems.", "actualPrice": "0.99",
          "offerPrice": "0.99", "currency": "USD", "assets": [], "active": true }
      ]
    }
  }

Prices are texts, so that they stay exact. Every node serves the new version from the next request on. To go back, publish an
older one again: savepoint config show --config-version 3 … > old.json`;

export function configCommands(): Command {
  const config = new Command('config').description('the published configuration of a game: flags and store');
  withGame(config.command('publish'))
    .description('publish a document as the next version')
    .requiredOption('--file <path>', 'the document, JSON')
    .option('--note <text>', 'what changed', '')
    .addHelpText('after', HELP)
    .action(publish);
  withGame(config.command('show'))
    .description('print a published document')
    .option('--config-version <number>', 'an older version (default: the one in force)')
    .action(show);
  return config;
}

async function publish({
  tenant,
  game,
  file,
  note,
}: GameOptions & { file: string; note: string }): Promise<void> {
  const checked = checkDocument(parse(file, await readGivenFile(file)));
  if (!checked.ok) {
    throw new StartupError(
      `${file} cannot be published:\n${checked.problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const publication = { gameId, document: checked.document, author: currentUser(), note };
    const version = await publishConfig(pool, publication, Date.now());
    say(`Published version ${version} of ${tenant}/${game}; every node serves it from the next request on.`);
  });
}

async function show({
  tenant,
  game,
  configVersion,
}: GameOptions & { configVersion?: string }): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id, publishedVersion } = await requireGame(pool, tenant, game);
    const version = configVersion === undefined ? publishedVersion : Number(configVersion);
    const found = Number.isSafeInteger(version) ? await findConfigVersion(pool, id, version) : undefined;
    if (found === undefined) {
      throw new StartupError(
        publishedVersion === 0
          ? `Nothing is published for ${tenant}/${game} yet: savepoint config publish --help`
          : `There is no version ${configVersion}; the one in force is ${publishedVersion}.`,
      );
    }
    say(JSON.stringify(found.document, null, 2));
  });
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartupError(`${file} is not JSON: ${(error as Error).message}`);
  }
}
