import { Command, Option } from 'commander';
import {
  type Environment,
  type KeyKind,
  keyState,
  type ListedKey,
  listApiKeys,
  type NewApiKey,
  SERVER_SCOPES,
  type ServerScope,
} from '../../core/sessions/api-key-queries.js';
import { HOUR_MS } from '../../platform/lib/day.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../games-and-keys/key-changes.js';
import { MAX_OVERLAP_HOURS } from '../games-and-keys/key-schemas.js';
import { commandActor } from './command-actor.js';
import { requireFilter, requireGame } from './game-option.js';
import { say, withDatabase, withMasterKeys } from './terminal.js';
import { wholeNumber } from './whole-number.js';

type CreateOptions = {
  tenant: string;
  game: string;
  kind: KeyKind;
  environment: Environment;
  label: string;
  scopes?: string;
};

export function keyCommands(): Command {
  const key = new Command('key').description('API keys of a game');
  key
    .command('create')
    .description('create a key; its secret is shown once')
    .requiredOption('--tenant <tenant-id>', 'the studio')
    .requiredOption('--game <game-id>', 'the game of the key')
    .addOption(
      new Option('--kind <kind>', 'client: games sign logins with it; server: your own servers send it')
        .choices(['client', 'server'])
        .default('client'),
    )
    .option('--scopes <list>', `what a server key may do, comma-separated: ${SERVER_SCOPES.join(', ')}`)
    .addOption(
      new Option('--environment <environment>', 'where it works')
        .choices(['production', 'development'])
        .default('production'),
    )
    .option('--label <text>', 'what it is for', '')
    .action(async (options: CreateOptions) => {
      showOnce(await createKey(options), options.kind);
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
      'create a successor with the same game, environment, label and scopes; revoke the old key when nothing uses it any more',
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
      const { formerExpiresAt, kind } = created;
      showOnce(created, kind);
      say(
        formerExpiresAt === null
          ? `The old key still works. When nothing uses it any more: savepoint key revoke ${keyId}`
          : `The old key works until ${isoTime(formerExpiresAt)}. To end it sooner: savepoint key revoke ${keyId}`,
      );
    });

  key
    .command('revoke <key-id>')
    .description('refuse all further logins and requests with a key, on every node at once')
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

function createKey({ scopes: list, ...place }: CreateOptions): Promise<NewApiKey> {
  const scopes = readScopes(place.kind, list);
  return withMasterKeys(async ({ pool }, _, { keys }) => {
    await requireGame(pool, place.tenant, place.game);
    const created = await createApiKey(pool, keys, { ...place, scopes }, await commandActor(pool));
    if (created === undefined) throw new Error(`there is no game ${place.game} any more`);
    return created;
  });
}

function readScopes(kind: KeyKind, list: string | undefined): ServerScope[] {
  if (kind === 'client') {
    if (list !== undefined) throw new StartupError('Only a server key has scopes. Add --kind server.');
    return [];
  }
  const names = (list ?? '').split(',').map((name) => name.trim());
  const scopes = SERVER_SCOPES.filter((scope) => names.includes(scope));
  if (scopes.length === names.length) return scopes;
  throw new StartupError(
    `A server key needs --scopes with one or more of these, comma-separated: ${SERVER_SCOPES.join(', ')}`,
  );
}

function showOnce({ keyId, secret }: NewApiKey, kind: KeyKind): void {
  say(`API key     ${keyId}`);
  say(`${kind === 'client' ? 'API secret ' : 'Server key '} ${secret}`);
  say(
    kind === 'client'
      ? 'This is the only time the secret is shown. Keep it on your servers or in your build secrets.'
      : 'This is the only time the server key is shown. Keep it on your servers, never in a game: send it as Authorization: Bearer …',
  );
}

function readOverlap(hours: string | undefined): number | null {
  return hours === undefined ? null : wholeNumber('--overlap-hours', hours, 0, MAX_OVERLAP_HOURS) * HOUR_MS;
}

function describe(row: ListedKey, nowMs: number): string {
  const created = isoTime(row.createdAt);
  const scopes = row.kind === 'server' ? `  ${row.scopes.join(',')}  ${lastUseOf(row)}` : '';
  return `${row.keyId}  ${row.tenant}/${row.game}  ${row.kind}  ${row.environment}  created ${created}  ${stateOf(row, nowMs)}${scopes}  ${row.label}`;
}

function lastUseOf({ lastUsedAt, lastUsedFrom }: ListedKey): string {
  return lastUsedAt === null ? 'never used' : `last used ${isoTime(lastUsedAt)} from ${lastUsedFrom ?? '?'}`;
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
