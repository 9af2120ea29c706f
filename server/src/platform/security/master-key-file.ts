import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders, syncFolder, writeFileDurably } from '../lib/durable-file.js';
import { StartupError } from '../lib/startup-error.js';

/** Where the master key comes from; a part of the settings of the process. */
export type MasterKeySettings = Readonly<{
  masterKey: string | undefined;
  databaseUrl: string | undefined;
  dataDir: string;
}>;

/** In development the master key is generated once and kept here, so that a newcomer has nothing to set. */
export function masterKeyFile(settings: Pick<MasterKeySettings, 'dataDir'>): string {
  return join(settings.dataDir, 'master-key');
}

/**
 * What the file holds; undefined when there is none, or nothing in it. A power cut that came before the file was synced
 * leaves it empty, or as long as it was and full of zeros.
 */
export async function readMasterKeyFile(settings: MasterKeySettings): Promise<string | undefined> {
  const file = masterKeyFile(settings);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new StartupError(`The master key in ${file} cannot be read: ${error.message}.`);
  });
  return text.replaceAll('\0', '').trim() || undefined;
}

export async function writeMasterKeyFile(settings: MasterKeySettings, text: string): Promise<void> {
  try {
    const made = await makeFolders(settings.dataDir);
    if (made !== undefined) await syncFolder(dirname(settings.dataDir));
    await writeFileDurably(masterKeyFile(settings), `${text}\n`);
  } catch (error) {
    throw new StartupError(
      `The development master key cannot be kept in ${settings.dataDir}: ${(error as Error).message}. Choose another folder with SAVEPOINT_DATA_DIR.`,
    );
  }
}
