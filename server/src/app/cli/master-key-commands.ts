import { Command } from 'commander';
import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { writeMasterKeyFile } from '../../platform/security/master-key-file.js';
import {
  generateMasterKey,
  type MasterKeys,
  parseMasterKeys,
  primaryId,
} from '../../platform/security/master-keys.js';
import type { Settings } from '../../platform/settings/settings.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { say, withMasterKeys } from '../../studio/cli/terminal.js';
import { type ResealedCounts, resealAll } from '../../studio/sessions/reseal-secrets.js';
import { replaceLostCommand } from './replace-lost-command.js';

export function masterKeyCommands(): Command {
  const masterKey = new Command('master-key').description(
    'the key that seals API secrets, signing keys and second factors',
  );
  masterKey
    .command('rotate')
    .description('seal everything under a new master key')
    .addHelpText(
      'after',
      `
In production:
  1. Make a new key (openssl rand -base64 32) and set SAVEPOINT_MASTER_KEY="<old>,<new>" on every node.
  2. Then set SAVEPOINT_MASTER_KEY="<new>,<old>" on every node, and run this command with the same value.
  3. When it has finished, set SAVEPOINT_MASTER_KEY="<new>".
docs/master-key.md has the steps for one node and for several, and what to do with older backups.
In development, where the key lives in the data folder, stop the service first; this command does all of it.`,
    )
    .action(() =>
      withMasterKeys(async ({ pool, shared }, settings, { keys, text }) => {
        if (settings.masterKey !== undefined) return resealUnderFirst(pool, keys);
        // A running service would keep the old key only, and could not open any secret afterwards.
        if (shared)
          throw new StartupError('Stop the service first: it holds the old key until it is restarted.');
        return rotateFile(pool, settings, text);
      }, 'Everything can still be opened with the keys that are set. Run the command again to go on.'),
    );
  masterKey.addCommand(replaceLostCommand());
  return masterKey;
}

async function resealUnderFirst(pool: Pool, keys: MasterKeys): Promise<void> {
  if (keys.byId.size < 2) {
    throw new StartupError(
      'SAVEPOINT_MASTER_KEY holds one key only. Put a new one in front of it, separated by a comma: savepoint master-key rotate --help',
    );
  }
  report(keys, await resealAll(pool, keys, await commandActor(pool)));
}

async function rotateFile(pool: Pool, settings: Settings, text: string): Promise<void> {
  const both = `${generateMasterKey()},${text}`;
  const parsed = parseMasterKeys(both);
  if (!parsed.ok) throw new StartupError(parsed.problems.join('\n'));
  // Both keys first: whenever this is interrupted, the file can open everything that is sealed.
  await writeMasterKeyFile(settings, both);
  report(parsed.keys, await resealAll(pool, parsed.keys, await commandActor(pool)));
  await writeMasterKeyFile(settings, both.split(',', 1)[0] ?? both);
}

function report(keys: MasterKeys, counts: ResealedCounts): void {
  say(
    `Sealed ${counts.apiKeys} API secrets, ${counts.signingKeys} signing keys, ${counts.secondFactors} second factors, ${counts.erasureKeys} erasure keys, ${counts.storeAccounts} service accounts of Google and ${counts.deviceKeys} keys of forgotten devices under master key ${primaryId(keys)}.`,
  );
}
