import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { NO_STORES } from '../../core/events/receipts/store-settings.js';
import { httpUrl } from '../../platform/lib/http-url.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { interruptible } from '../../studio/cli/interrupt.js';
import { requireSettings, say } from '../../studio/cli/terminal.js';
import { wholeNumber } from '../../studio/cli/whole-number.js';
import { FAKE_ACCOUNT } from '../fake-store/fake-google.js';
import { buildFakeStore, FAKE_PUSH } from '../fake-store/fake-store-app.js';
import { keepSigners, toPem } from '../fake-store/kept-signers.js';

type Options = { port: string; app: string; tenant: string; game: string; url?: string };

const HOST = '127.0.0.1';
const NOT_IN_PRODUCTION =
  'The fake store signs receipts with certificates of its own, so it does not run in production. On a test installation set SAVEPOINT_ENV=development. In production buy as a sandbox tester of Apple or a licence tester of Google, and name the player in "testers": savepoint store set.';
const HELP = `
It signs with certificates of its own, which are kept in the data folder. A service believes it only when its settings name the root
certificate: never do that in production.

  curl -X POST http://127.0.0.1:8090/apple/purchases -H 'content-type: application/json' -d '{"productId":"gems_80","price":990,"currency":"USD"}'
  curl -X POST http://127.0.0.1:8090/apple/notifications -H 'content-type: application/json' -d '{"transactionId":"…","type":"REFUND"}'`;

export function fakeStoreCommand(): Command {
  return new Command('fake-store')
    .description('sell on this machine as Apple and Google do: signed receipts, refunds and notifications')
    .option('--port <port>', 'port on 127.0.0.1', '8090')
    .option('--app <id>', 'bundle id and package name', 'com.example.game')
    .option('--tenant <tenant-id>', 'the studio that notifications are for', 'demo-studio')
    .option('--game <game-id>', 'the game that notifications are for', 'demo-game')
    .option('--url <url>', 'the player API (default: that of the settings)')
    .addHelpText('after', HELP)
    .action(run);
}

async function run({ port, app: appId, tenant, game, url }: Options): Promise<void> {
  const settings = requireSettings({ needsMasterKey: false });
  if (settings.environment === 'production') throw new StartupError(NOT_IN_PRODUCTION);
  const folder = join(settings.dataDir, 'fake-store');
  const keys = await keepSigners(folder, Date.now());
  const service = url ?? httpUrl(HOST, settings.port);
  const notify = { url: `${service.replace(/\/+$/, '')}/stores`, tenant, game };
  let at = '';
  const tokenUrl = () => `${at}/google/token`;
  const store = buildFakeStore({ keys, appId, notify, tokenUrl, now: () => Date.now() });
  at = await store.listen({ host: HOST, port: wholeNumber('--port', port, 0, 65_535) });
  const google = { packageName: appId, publicKey: keys.google.publicKey, push: FAKE_PUSH };
  const stores = { ...NO_STORES, apple: { bundleIds: [appId] }, google, counts: 'verified' };
  const accountFile = join(folder, 'google-account.json');
  const account = { type: 'service_account', client_email: FAKE_ACCOUNT, private_key: toPem(keys.account) };
  await writeFile(accountFile, JSON.stringify(account, null, 2), { mode: 0o600 });
  say(`The fake store sells at ${at}. Ctrl-C ends it.

Start the service with
  SAVEPOINT_APPLE_ROOT_FILE=${keys.rootFile}
  SAVEPOINT_GOOGLE_KEYS_URL=${at}/google/certs
  SAVEPOINT_GOOGLE_TOKEN_URL=${tokenUrl()}
  SAVEPOINT_GOOGLE_API_URL=${at}
and give the game these settings (savepoint store set --tenant ${tenant} --game ${game} --file stores.json):
${JSON.stringify(stores, null, 2)}
To have purchases of Google looked up and acknowledged:
  savepoint store set-google-account --tenant ${tenant} --game ${game} --file ${accountFile}`);
  await interruptible('The fake store has ended.', (signal) => untilAborted(signal)).finally(() =>
    store.close(),
  );
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}
