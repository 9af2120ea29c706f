import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../../lib/durable-file.js';
import { StartupError } from '../../lib/startup-error.js';
import { errorCode, ifExists } from '../errno.js';
import { fileReason } from '../failures.js';
import { writeHashed } from './hashed-files.js';
import { type Manifest, readManifest } from './manifest.js';

/**
 * The folder with the backups of one database:
 *
 *   system-identifier              whose backups these are
 *   20261118T070000.000Z/          a backup: manifest.json, cluster/, wal/, secrets/
 *   20261118T080000.000Z.partial/  a backup that is being made or deleted, or was interrupted; never used
 *   wal/                           the log since the first backup, in packed segments
 *   erased-players                 who was erased, of any age
 *   postgres-18-7…/                the same of the database as it was before an upgrade of PostgreSQL
 */
const PARTIAL = '.partial';
const NAME = /^\d{8}T\d{6}\.\d{3}Z$/;

export type Backup = Readonly<{ name: string; folder: string; manifest: Manifest }>;

/** Says whose backups these are. */
export const OWNER_FILE = 'system-identifier';

export const walFolderOf = (backups: string): string => join(backups, 'wal');
export const partialOf = (folder: string): string => `${folder}${PARTIAL}`;

export const isBackupName = (name: string): boolean => NAME.test(name);

export function backupName(startedAt: Date): string {
  return startedAt.toISOString().replaceAll(/[-:]/g, '');
}

/**
 * Makes the folder, for this database only: the names of segments are the same in all of them. Made by root, it belongs to the user of the
 * service, who goes on there: the owner of the folder that it is made in, or of the data folder.
 */
export async function claimBackupFolder(
  backups: string,
  systemIdentifier: string,
  dataDir?: string,
): Promise<void> {
  try {
    await makeFolder(walFolderOf(backups), 0o700, dataDir);
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new StartupError(
      `Backups cannot be kept in ${backups} (${reason}). Choose a folder that the user who runs Savepoint may write to.`,
      { cause: error },
    );
  }
  const path = join(backups, OWNER_FILE);
  try {
    await writeHashed(path, `${systemIdentifier}\n`);
    await syncFolder(backups);
    await syncFolder(dirname(backups));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const owner = (await readFile(path, 'utf8')).trim();
  // A kill between making and writing the file.
  if (owner === '') await writeFile(path, `${systemIdentifier}\n`);
  else if (owner !== systemIdentifier) {
    throw new StartupError(
      `${backups} holds the backups of another database (system identifier ${owner}, and this one has ${systemIdentifier}). Choose another folder.`,
    );
  }
}

/** Whole backups, the oldest first. A manifest that cannot be read is reported, and its backup is left out. */
export async function listBackups(
  backups: string,
  onUnreadable: (name: string, reason: string) => void = () => {},
): Promise<Backup[]> {
  const names = ((await ifExists(readdir(backups))) ?? []).filter(isBackupName).sort();
  const found: Backup[] = [];
  for (const name of names) {
    const folder = join(backups, name);
    try {
      const manifest = await readManifest(folder);
      if (manifest !== undefined) found.push({ name, folder, manifest });
      else onUnreadable(name, 'it has no manifest');
    } catch (error) {
      onUnreadable(name, (error as Error).message);
    }
  }
  return found;
}

/** What was interrupted while it was made or deleted. Safe while the lock of backups is held. */
export async function removePartialBackups(backups: string): Promise<void> {
  for (const name of await readdir(backups)) {
    if (name.endsWith(PARTIAL)) await rm(join(backups, name), { recursive: true, force: true });
  }
}

/** A kill at any moment leaves the whole backup, or one that is not taken for one. */
export async function deleteBackup(backup: Backup): Promise<void> {
  const partial = partialOf(backup.folder);
  await rename(backup.folder, partial);
  await rm(partial, { recursive: true, force: true });
}
