import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeFileDurably } from '../../../lib/durable-file.js';
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
  const owner = (await ifExists(readFile(join(backups, OWNER_FILE), 'utf8')))?.trim();
  if (owner !== systemIdentifier) return undefined;
  const aside = join(backups, `postgres-${major}-${systemIdentifier}`);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  await writeFileDurably(join(aside, OWNER_FILE), `${systemIdentifier}\n`);
  const names = (await readdir(backups)).filter(isBackupName);
  for (const name of names) await rename(join(backups, name), join(aside, name));
  // One by one: a repetition may find a part of the log there.
  await mkdir(walFolderOf(aside), { recursive: true, mode: 0o700 });
  for (const name of (await ifExists(readdir(walFolderOf(backups)))) ?? [])
    await rename(join(walFolderOf(backups), name), join(walFolderOf(aside), name));
  for (const folder of [walFolderOf(aside), aside]) await syncFolder(folder);
  await rename(join(backups, OWNER_FILE), join(aside, OWNER_FILE));
  await syncFolder(backups);
  return aside;
}
