import type { Command } from 'commander';
import { createGoogleApi, readAccountKey } from '../../platform/lib/google-play/google-api.js';
import { isObject } from '../../platform/lib/is-object.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readJsonFile } from '../../studio/cli/given-file.js';
import { printable } from '../../studio/cli/printable.js';
import { say, withDatabase, withMasterKeys } from '../../studio/cli/terminal.js';
import { deleteAccount, openAccount, saveAccount } from '../stores/google/account-queries.js';
import { testAccount } from '../stores/google/test-account.js';

type Game = { tenant: string; game: string };

/** The service account by which a game asks Google about purchases. */
export function googleAccountCommands(store: Command): void {
  withGame(store.command('set-google-account'))
    .description('let the game ask Google about purchases, and acknowledge them')
    .requiredOption(
      '--file <path>',
      'the JSON key of a service account, as the Google Cloud console gives it',
    )
    .action(setAccount);
  withGame(store.command('test-google-account'))
    .description('ask Google whether it accepts the service account; stores nothing')
    .action(tryAccount);
  withGame(store.command('remove-google-account'))
    .description('ask Google no more: signatures alone decide')
    .action(removeAccount);
}

async function setAccount({ file, tenant, game }: Game & { file: string }): Promise<void> {
  const key = await readJsonFile(file);
  const { client_email: email, private_key: privateKey } = isObject(key) ? key : {};
  const isKey =
    typeof email === 'string' && typeof privateKey === 'string' && readAccountKey(privateKey) !== undefined;
  if (!isKey) throw new StartupError(`${file} is no key of a service account.`);
  await withMasterKeys(async ({ pool }, _, { keys }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    await saveAccount(pool, keys, { gameId, email, privateKey }, await commandActor(pool));
    say(
      'Saved, sealed under the master key. Delete the file. Purchases from now on are looked up and acknowledged.',
    );
  });
}

async function tryAccount({ tenant, game }: Game): Promise<void> {
  await withMasterKeys(async ({ pool }, { googleTokenUrl, googleApiUrl }, { keys }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const now = () => Date.now();
    const api = createGoogleApi({ tokenUrl: googleTokenUrl, apiUrl: googleApiUrl, now });
    const { isWorking, message } = await testAccount(api, await openAccount(pool, keys, gameId), now());
    if (!isWorking) throw new StartupError(printable(message));
    say(printable(message));
  });
}

async function removeAccount({ tenant, game }: Game): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    if (!(await deleteAccount(pool, id, await commandActor(pool))))
      throw new StartupError('The game has no service account of Google.');
    say('Removed.');
  });
}
