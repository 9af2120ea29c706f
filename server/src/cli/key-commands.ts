import { Command, Option } from 'commander';
import {
  type Environment,
  keyState,
  type ListedKey,
  listApiKeys,
  type NewApiKey,
} from '../features/studios/api-key-queries.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../features/studios/key-changes.js';
import { MAX_OVERLAP_HOURS } from '../features/studios/key-schemas.js';
import { HOUR_MS } from '../lib/day.js';
import { isoTime } from '../lib/iso-time.js';
import { StartupError } from '../lib/startup-error.js';
import { commandActor } from './command-actor.js';
import { requireFilter, requireGame } from './game-option.js';
import { say, withDatabase, withMasterKeys } from './terminal.js';
import { wholeNumber } from './whole-number.js';

type CreateOptions = { tenant: string; game: string; environment: Environment; label: string };

export function keyCommands(): Command {
  const key = new Command('key').description('API keys of a game');
  key
    .command('create')
    .description('create a key; its secret is shown once')
    .requiredOption('--tenant <tenant-id>', 'the studio')
    .requiredOption('--game <game-id>', 'the game the key logs players in to')
    .addOption(
      new Option('--environment <environment>', 'where it works')
        .choices(['production', 'development'])
        .default('production'),
    )
    .option('--label <text>', 'what it is for', '')
    .action(async (options: CreateOptions) => {
      showOnce(await createKey(options));
    });

  key
    .command('list')
    .description('list keys; secrets are never shown again')
    .option('--tenant <tenant-id>', 'only of this studio')
    .option('--game <game-id>', 'only of this game')
    .action(async (options: { tenant?: string; game?: string }) => {
      const { tenant, game } = options;
      const keys = await withDatabase(async ({ pool }) => {
        await requireFilter(pool, tenant, game);
        return listApiKeys(pool, tenant, game);
      });
      if (keys.length === 0) say('There are no keys. Create one: savepoint key create --tenant … --game …');
      for (const row of keys) say(describe(row, Date.now()));
    });

  key
    .command('rotate <key-id>')
    .description(
      'create a successor with the same game, environment and label; revoke the old key when your builds are out',
    )
    .option(
      '--overlap-hours <hours>',
      'hours until the old key expires (default: it works until it is revoked)',
    )
    .action(async (keyId: string, options: { overlapHours?: string }) => {
      const overlapMs = readOverlap(options.overlapHours);
      const created = await withMasterKeys(async ({ pool }, _, { keys }) =>
        rotateApiKey(pool, keys, keyId, await commandActor(pool), { overlapMs }),
      );
      if (created === undefined) throw noSuchKey(keyId);
      showOnce(created);
      const { formerExpiresAt } = created;
      say(
        formerExpiresAt === null
          ? `The old key still works. When no build uses it any more: savepoint key revoke ${keyId}`
          : `The old key logs players in until ${isoTime(formerExpiresAt)}. To end it sooner: savepoint key revoke ${keyId}`,
      );
    });

  key
    .command('revoke <key-id>')
    .description('refuse all further logins with a key, on every node at once')
    .option('--end-sessions', 'also end every session that was opened with it', false)
    .action(async (keyId: string, options: { endSessions: boolean }) => {
      const revoked = await withDatabase(async ({ pool }) =>
        revokeApiKey(pool, keyId, options, await commandActor(pool)),
      );
      if (!revoked) throw noSuchKey(keyId);
      say(`Revoked ${keyId}${options.endSessions ? ' and ended every session opened with it' : ''}.`);
    });
  return key;
}

function createKey(place: CreateOptions): Promise<NewApiKey> {
  return withMasterKeys(async ({ pool }, _, { keys }) => {
    await requireGame(pool, place.tenant, place.game);
    const created = await createApiKey(pool, keys, place, await commandActor(pool));
    if (created === undefined) throw new Error(`there is no game ${place.game} any more`);
    return created;
  });
}

function showOnce({ keyId, secret }: NewApiKey): void {
  say(`API key     ${keyId}`);
  say(`API secret  ${secret}`);
  say('This is the only time the secret is shown. Keep it on your servers or in your build secrets.');
}

function readOverlap(hours: string | undefined): number | null {
  return hours === undefined ? null : wholeNumber('--overlap-hours', hours, 0, MAX_OVERLAP_HOURS) * HOUR_MS;
}

function describe(row: ListedKey, nowMs: number): string {
  const created = isoTime(row.createdAt);
  return `${row.keyId}  ${row.tenant}/${row.game}  ${row.environment}  created ${created}  ${stateOf(row, nowMs)}  ${row.label}`;
}

function stateOf(row: ListedKey, nowMs: number): string {
  const { revokedAt, expiresAt } = row;
  if (revokedAt !== null) return `revoked ${isoTime(revokedAt)}`;
  if (expiresAt === null) return 'active';
  return `${keyState(row, nowMs) === 'expired' ? 'expired' : 'active until'} ${isoTime(expiresAt)}`;
}

function noSuchKey(keyId: string): StartupError {
  return new StartupError(`There is no active key "${keyId}". List them: savepoint key list`);
}
