import { Command } from 'commander';
import { Compile } from 'typebox/schema';
import { loadAppleReceipts } from '../../core/events/receipts/load-apple-receipts.js';
import { createReceiptChecks } from '../../core/events/receipts/receipt-checks.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readJsonFile } from '../../studio/cli/given-file.js';
import { printable } from '../../studio/cli/printable.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { findFlaw } from '../stores/store-settings-checks.js';
import { findStores, saveStores } from '../stores/store-settings-queries.js';
import { StoresBody } from '../stores/store-settings-schemas.js';
import { testReceipt } from '../stores/test-receipt.js';
import { googleAccountCommands } from './google-account-commands.js';

type Game = { tenant: string; game: string };

const storesCheck = Compile(StoresBody);
const NO_PLAYER = '00000000-0000-0000-0000-000000000000';

const HELP = `
The settings are one JSON document: show them, edit them, set them.

  savepoint store show --tenant my-studio --game my-game > stores.json
  savepoint store set  --tenant my-studio --game my-game --file stores.json
  savepoint store test --tenant my-studio --game my-game --file receipt.json`;

export function storeCommands(): Command {
  const store = new Command('store').description('which receipts a game believes, and which purchases count');
  withGame(store.command('show')).description('show the settings as JSON').action(show);
  withGame(store.command('set'))
    .description('replace the settings by those of a file')
    .requiredOption('--file <path>', 'JSON as show prints it')
    .addHelpText('after', HELP)
    .action(set);
  withGame(store.command('test'))
    .description('say what would happen to a purchase with a receipt; stores nothing')
    .requiredOption('--file <path>', 'JSON as in payload.receipt of a Purchase')
    .option('--player <user-id>', 'the player who would send it', NO_PLAYER)
    .action(test);
  googleAccountCommands(store);
  return store;
}

async function show(options: Game): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, options.tenant, options.game);
    say(JSON.stringify(await findStores(pool, id), null, 2));
  });
}

async function set(options: Game & { file: string }): Promise<void> {
  const stores = await readJsonFile(options.file);
  if (!storesCheck.Check(stores)) {
    const [, errors] = storesCheck.Errors(stores);
    const [first] = errors;
    throw new StartupError(
      `${options.file} is not of the right form: ${first?.instancePath || '/'} ${first?.message}.`,
    );
  }
  const flaw = findFlaw(stores);
  if (flaw !== undefined) throw new StartupError(flaw);
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, options.tenant, options.game);
    await saveStores(pool, id, stores, await commandActor(pool));
    say(
      'Saved. Every node obeys the settings with its next batch of events. Purchases that wait for a store which is set up now are replayed within five minutes.',
    );
  });
}

async function test(options: Game & { file: string; player: string }): Promise<void> {
  const receipt = await readJsonFile(options.file);
  await withDatabase(async ({ pool }, settings) => {
    const { id: gameId } = await requireGame(pool, options.tenant, options.game);
    const apple = await loadAppleReceipts(settings);
    const checks = createReceiptChecks({ pool, apple, isLimited: false });
    const sender = { userId: options.player.toLowerCase(), gameId, nowMs: Date.now() };
    const { isAccepted, code, message } = await testReceipt(
      checks,
      await findStores(pool, gameId),
      receipt,
      sender,
    );
    if (!isAccepted) throw new StartupError(`Refused, ${code}: ${printable(message)}`);
    say(printable(message));
  });
}
