import { Command } from 'commander';
import { StartupError } from '../../platform/lib/startup-error.js';
import { readMasterKeyFile, writeMasterKeyFile } from '../../platform/security/master-key-file.js';
import {
  generateMasterKey,
  type MasterKeys,
  parseMasterKeys,
  primaryId,
} from '../../platform/security/master-keys.js';
import { listSealedSecrets } from '../../platform/security/sealed-secrets.js';
import type { Settings } from '../../platform/settings/settings.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, withDatabaseOfLostKey } from '../../studio/cli/terminal.js';
import { type ReplacedSecrets, replaceLostSecrets } from '../../studio/sessions/replace-lost-secrets.js';

export function replaceLostCommand(): Command {
  return new Command('replace-lost')
    .argument('<id>', 'the lost key, as a start that it is missing at names it, such as 1f3a9c02')
    .description('replace what is sealed under a master key that is lost for good; nothing opens it again')
    .addHelpText(
      'after',
      `
Look for the key first: docs/master-key.md says where it may still be. Stop every node, set SAVEPOINT_MASTER_KEY to a new key
(openssl rand -base64 32), and run this command. Each API key of a game gets a new secret, which is shown once.`,
    )
    .action(run);
}

async function run(lostId: string): Promise<void> {
  await withDatabaseOfLostKey(async ({ pool, shared }, settings) => {
    // Whether nodes run on a database of the operator's own cannot be seen from here.
    if (shared && settings.databaseUrl === undefined)
      throw new StartupError(
        'Stop the service first: it still has the key. docs/master-key.md says how to get it back from there.',
      );
    const sealed = await listSealedSecrets(pool);
    if (!sealed.some(({ masterKeyId }) => masterKeyId === lostId)) {
      const ids = sealed.map(({ masterKeyId }) => masterKeyId).join(', ') || 'none';
      throw new StartupError(`Nothing is sealed under master key ${lostId}. Keys that are in use: ${ids}.`);
    }
    const keys = await newKeys(settings);
    if (keys.byId.has(lostId))
      throw new StartupError(`Master key ${lostId} is not lost: it is among those that are set.`);
    report(await replaceLostSecrets(pool, keys, lostId, await commandActor(pool)), keys);
  });
}

/** In development the file with the key is missing, and a new one is made. */
async function newKeys(settings: Settings): Promise<MasterKeys> {
  const found = settings.masterKey ?? (await readMasterKeyFile(settings));
  const text = found ?? generateMasterKey();
  const parsed = parseMasterKeys(text);
  if (!parsed.ok) throw new StartupError(parsed.problems.join('\n'));
  // First, so that what is sealed under it can be opened whenever this is interrupted.
  if (found === undefined) await writeMasterKeyFile(settings, text);
  return parsed.keys;
}

function report(replaced: ReplacedSecrets, keys: MasterKeys): void {
  const { apiKeys, signingKeys, accounts, googleAccounts, isErasureKeyNew, isDeviceKeyNew } = replaced;
  if (apiKeys.length > 0) {
    say(
      'New secrets of API keys. This is the only time they are shown. Give them to the servers that sign logins:',
    );
    const rows = apiKeys.map(({ tenant, game, keyId, secret }) => [tenant, game, keyId, secret]);
    for (const line of tableLines([['tenant', 'game', 'API key', 'API secret'], ...rows], () => false))
      say(`  ${line}`);
  }
  if (signingKeys > 0)
    say(`Replaced ${signingKeys} signing keys: clients refresh their tokens, no session ends.`);
  for (const email of accounts) say(`${email} has no second factor any more, until they turn it on again.`);
  for (const { tenant, game } of googleAccounts)
    say(
      `Set the service account of Google again: savepoint store set-google-account --tenant ${tenant} --game ${game} --file …`,
    );
  if (isErasureKeyNew)
    say(
      'Players who were erased until now are not recognised in an older backup or an import: make a new backup, and delete the older ones.',
    );
  if (isDeviceKeyNew)
    say(
      'Devices whose ids were forgotten until now (SAVEPOINT_FORGET_DEVICES_AFTER_DAYS) are new ones when they come back.',
    );
  say(`All is sealed under master key ${primaryId(keys)} now. Start the service.`);
}
