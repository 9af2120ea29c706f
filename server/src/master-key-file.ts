import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.js';
import { generateMasterKey, type MasterKeys, parseMasterKeys } from './lib/master-keys.js';
import { StartupError } from './lib/startup-error.js';

/**
 * The master key of this installation: from SAVEPOINT_MASTER_KEY or, in development only, generated once and kept in the
 * data folder, so that a newcomer has nothing to set and a restart can still open what was sealed.
 */
export async function loadMasterKeys(config: Config): Promise<{ keys: MasterKeys; text: string }> {
  const text = config.masterKey ?? (await readOrCreateFile(config));
  const parsed = parseMasterKeys(text);
  if (parsed.ok) return { keys: parsed.keys, text };
  throw new StartupError(parsed.problems.join('\n'));
}

async function readOrCreateFile(config: Config): Promise<string> {
  const file = masterKeyFile(config);
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartupError(`The master key in ${file} cannot be read: ${error.message}.`);
  });
  if (existing !== undefined) return existing.trim();
  const text = generateMasterKey();
  await writeMasterKeyFile(config, text);
  return text;
}

export function masterKeyFile(config: Config): string {
  return join(config.dataDir, 'master-key');
}

/** Written beside and renamed, so that a crash never leaves half a key. */
export async function writeMasterKeyFile(config: Config, text: string): Promise<void> {
  const file = masterKeyFile(config);
  try {
    await mkdir(config.dataDir, { recursive: true });
    await writeFile(`${file}.new`, `${text}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    throw new StartupError(
      `The development master key cannot be kept in ${config.dataDir}: ${(error as Error).message}. Choose another folder with SAVEPOINT_DATA_DIR.`,
    );
  }
}
