import { access, constants, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder, writeFileDurably } from '../../lib/durable-file.js';
import { StartupError } from '../../lib/startup-error.js';
import { ifExists } from '../errno.js';
import { isBackupName, OWNER_FILE, walFolderOf } from './backup-folder.js';

/**
 * Moves the backups of a database that will not be used any more to a folder of their own in the same folder, so that the next database can
 * begin there. The file that says whose they are moves last: until then the folder still belongs to the old database, and a repetition
 * after a kill goes on.
 *
 * @returns the folder, from which they can be restored as before; undefined if there are none of this database
 */
export async function setBackupsAside(
  backups: string,
  major: string,
  systemIdentifier: string,
): Promise<string | undefined> {
  if (!(await isOwnedBy(backups, systemIdentifier))) return undefined;
  const aside = asideOf(backups, major, systemIdentifier);
  await makeFolder(aside, 0o700);
  await writeFileDurably(join(aside, OWNER_FILE), `${systemIdentifier}\n`);
  for (const name of await listNames(backups)) await rename(join(backups, name), join(aside, name));
  // One by one: a repetition may find a part of the log there.
  await makeFolder(walFolderOf(aside), 0o700);
  for (const name of (await ifExists(readdir(walFolderOf(backups)))) ?? [])
    await rename(join(walFolderOf(backups), name), join(walFolderOf(aside), name));
  for (const folder of [walFolderOf(aside), aside]) await syncFolder(folder);
  await rename(join(backups, OWNER_FILE), join(aside, OWNER_FILE));
  await syncFolder(backups);
  return aside;
}

/**
 * For whoever will move them after hours of work: tries it with a file.
 *
 * @throws StartupError if they cannot be moved, such as those of another user, or where the log is on another disk
 */
export async function requireBackupsMovable(
  backups: string,
  major: string,
  systemIdentifier: string,
): Promise<void> {
  try {
    if (!(await isOwnedBy(backups, systemIdentifier))) return;
    const aside = asideOf(backups, major, systemIdentifier);
    try {
      for (const folder of [aside, walFolderOf(aside)]) await makeFolder(folder, 0o700);
      await tryMove(backups, aside);
      await tryMove(walFolderOf(backups), walFolderOf(aside));
      // A folder is moved only by those who may write in it.
      for (const name of await listNames(backups)) await access(join(backups, name), constants.W_OK);
    } finally {
      // A move that was killed has left something in them.
      for (const folder of [walFolderOf(aside), aside]) await rmdir(folder).catch(() => {});
    }
  } catch (error) {
    throw new StartupError(
      `The backups of this database in ${backups} cannot be moved to a folder of their own, as an upgrade does with them (${(error as Error).message}). Nothing was changed. Mend that; or leave SAVEPOINT_BACKUP_DIR out, and then start with another one, with a copy of erased-players in it.`,
      { cause: error },
    );
  }
}

async function tryMove(from: string, to: string): Promise<void> {
  const name = '.move-test';
  try {
    const made = await ifExists(
      writeFile(join(from, name), 'Savepoint can move files from here.\n').then(() => true),
    );
    // There is no log yet.
    if (made) await rename(join(from, name), join(to, name));
  } finally {
    for (const folder of [from, to]) await rm(join(folder, name), { force: true });
  }
}

const isOwnedBy = async (backups: string, systemIdentifier: string): Promise<boolean> =>
  (await ifExists(readFile(join(backups, OWNER_FILE), 'utf8')))?.trim() === systemIdentifier;

const asideOf = (backups: string, major: string, systemIdentifier: string): string =>
  join(backups, `postgres-${major}-${systemIdentifier}`);

const listNames = async (backups: string): Promise<string[]> => (await readdir(backups)).filter(isBackupName);
