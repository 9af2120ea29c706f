import type { Pool } from '../db/pool.js';
import { StartupError } from '../lib/startup-error.js';
import {
  type MasterKeySettings,
  masterKeyFile,
  readMasterKeyFile,
  writeMasterKeyFile,
} from './master-key-file.js';
import { generateMasterKey, type MasterKeys, parseMasterKeys } from './master-keys.js';
import { listSealedSecrets, type SealedSecrets } from './sealed-secrets.js';

export type LoadedMasterKeys = { keys: MasterKeys; text: string };

/**
 * The master key of this installation, which is known to open what the database holds: from SAVEPOINT_MASTER_KEY or, in
 * development only, from the data folder. A new one is made only for a database in which nothing is sealed.
 */
export async function loadMasterKeys(settings: MasterKeySettings, pool: Pool): Promise<LoadedMasterKeys> {
  const found = await findMasterKeys(settings, pool);
  if (found !== undefined) return found;
  const text = generateMasterKey();
  await writeMasterKeyFile(settings, text);
  return { keys: parse(settings, text), text };
}

/** Undefined where there is none yet, and nothing that it would have to open. */
export async function findMasterKeys(
  settings: MasterKeySettings,
  pool: Pool,
): Promise<LoadedMasterKeys | undefined> {
  const text = settings.masterKey ?? (await readMasterKeyFile(settings));
  if (text === undefined) {
    await refuseLostKey(settings, pool);
    return undefined;
  }
  const keys = parse(settings, text);
  await requireRightMasterKeys(settings, pool, keys);
  return { keys, text };
}

/** Refuses a wrong key where one is given, for a command that needs none. */
export async function refuseWrongMasterKey(
  settings: MasterKeySettings & Readonly<{ environment: 'development' | 'production' }>,
  pool: Pool,
): Promise<void> {
  // A key file beside a command in production was left by development.
  const isFileUsed = settings.environment === 'development';
  const text = settings.masterKey ?? (isFileUsed ? await readMasterKeyFile(settings) : undefined);
  if (text !== undefined) await requireRightMasterKeys(settings, pool, parse(settings, text));
}

/** Refuses a key that cannot open everything: secrets sealed under it would be lost to all nodes that have the right one. */
export async function requireRightMasterKeys(
  settings: MasterKeySettings,
  pool: Pool,
  keys: MasterKeys,
): Promise<void> {
  const sealed = await listSealedSecrets(pool);
  const closed = sealed.find(({ masterKeyId }) => !keys.byId.has(masterKeyId));
  if (closed === undefined) return;
  const holder =
    settings.masterKey === undefined ? `the file ${masterKeyFile(settings)}` : 'SAVEPOINT_MASTER_KEY';
  const isRotating = sealed.some(({ masterKeyId }) => keys.byId.has(masterKeyId));
  const advice = isRotating
    ? `Add that key to the end of ${holder}, after a comma.`
    : settings.masterKey === undefined
      ? restoreFile(settings)
      : 'Set SAVEPOINT_MASTER_KEY to the key that this database was set up with. If it is lost: docs/master-key.md.';
  throw new StartupError(
    `Wrong master key: this database has ${count(closed)} sealed under master key ${closed.masterKeyId}, and ${holder} holds ${[...keys.byId.keys()].join(', ')}. ${advice}`,
  );
}

async function refuseLostKey(settings: MasterKeySettings, pool: Pool): Promise<void> {
  const [sealed] = await listSealedSecrets(pool);
  if (sealed === undefined) return;
  throw new StartupError(
    `The file ${masterKeyFile(settings)} is missing or empty, and this database has ${count(sealed)} sealed under the master key that it held (${sealed.masterKeyId}). ${restoreFile(settings)}`,
  );
}

function parse(settings: MasterKeySettings, text: string): MasterKeys {
  const parsed = parseMasterKeys(text);
  if (parsed.ok) return parsed.keys;
  throw new StartupError(
    settings.masterKey === undefined
      ? `The file ${masterKeyFile(settings)} does not hold a master key. ${restoreFile(settings)}`
      : parsed.problems.join('\n'),
  );
}

function restoreFile(settings: MasterKeySettings): string {
  const afresh =
    settings.databaseUrl === undefined
      ? `delete ${settings.dataDir} to start with an empty database`
      : 'start on an empty database';
  return `Put the file back from a backup, set SAVEPOINT_MASTER_KEY to the right key, or ${afresh}.`;
}

function count(sealed: SealedSecrets): string {
  const { apiKeys, signingKeys, secondFactors, erasureKeys, storeAccounts, deviceKeys } = sealed;
  const counted = [
    apiKeys === 0 ? '' : `${apiKeys} API ${apiKeys === 1 ? 'secret' : 'secrets'}`,
    signingKeys === 0 ? '' : `${signingKeys} signing ${signingKeys === 1 ? 'key' : 'keys'}`,
    secondFactors === 0 ? '' : `${secondFactors} second ${secondFactors === 1 ? 'factor' : 'factors'}`,
    erasureKeys === 0 ? '' : 'the key of erasures',
    storeAccounts === 0
      ? ''
      : `${storeAccounts} service ${storeAccounts === 1 ? 'account' : 'accounts'} of Google`,
    deviceKeys === 0 ? '' : 'the key of forgotten devices',
  ];
  return new Intl.ListFormat('en-GB').format(counted.filter((text) => text !== ''));
}
