import { createHash } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { giveToFolderOwner, makeFolder, syncFile, syncFolder } from '../../lib/durable-file.js';
import { inParallel } from '../../lib/in-parallel.js';
import { ifExists } from '../errno.js';
import { isArchivedFile } from './archive-file.js';
import { type Backup, claimBackupFolder, isBackupName, partialOf, walFolderOf } from './backup-folder.js';
import { type BackupStore, type CopyOptions, listStoredLog } from './backup-store.js';
import { hashFile } from './hashed-files.js';
import { type BackupFile, type Manifest, writeManifest } from './manifest.js';
import { unneededFiles } from './prune-backups.js';

/** A connection may break in the middle of a file. */
const ATTEMPTS = 3;

/**
 * Copies a backup from the store to a folder of backups, with the log after it, so that it can be restored from there. Files of an earlier,
 * interrupted call are taken over if they agree with their digests.
 */
export async function fetchBackup(
  store: BackupStore,
  { name, manifest }: Backup,
  to: string,
  { signal, onProgress }: CopyOptions = {},
): Promise<Backup> {
  refuseOutside(name, manifest);
  await claimBackupFolder(to, manifest.systemIdentifier);
  const folder = join(to, name);
  const backup = { name, folder, manifest };
  if ((await ifExists(stat(folder))) === undefined) {
    const partial = partialOf(folder);
    const totalBytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
    let doneBytes = 0;
    // One after another: a folder belongs to the owner of the one that it is made in.
    for (const path of foldersOf(manifest)) await makeFolder(join(partial, path), 0o700);
    await inParallel(manifest.files, signal, async (file) => {
      await fetchFile(store, `${name}/${file.path}`, join(partial, file.path), file);
      doneBytes += file.size;
      onProgress?.(doneBytes, totalBytes);
    });
    await writeManifest(partial, manifest);
    await rename(partial, folder);
    await syncFolder(to);
  }
  await fetchLog(store, backup, to, signal);
  return backup;
}

/** Who can write to the bucket must not be able to write anywhere else on this machine. */
function refuseOutside(name: string, { files, folders }: Manifest): void {
  if (!isBackupName(name)) throw new Error(`${name} is not the name of a backup`);
  for (const path of [...files.map((file) => file.path), ...folders]) {
    if (isAbsolute(path) || path.split(/[/\\]/).includes('..'))
      throw new Error(`the manifest of ${name} names a file outside of the backup: ${path}`);
  }
}

/** From the folder of the backup. */
const foldersOf = ({ files, folders }: Manifest): Set<string> =>
  new Set(['.', ...folders.map((path) => join('cluster', path)), ...files.map(({ path }) => dirname(path))]);

async function fetchLog(
  store: BackupStore,
  backup: Backup,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Only names of this form are written to the folder.
  const stored = [...(await listStoredLog(store))].filter(isArchivedFile);
  const unneeded = new Set(unneededFiles(stored, [backup]));
  const wal = walFolderOf(to);
  await inParallel(
    stored.filter((name) => !unneeded.has(name)),
    signal,
    async (name) => {
      const path = join(wal, name);
      if ((await ifExists(stat(path))) !== undefined) return;
      // gzip has a check sum, which is compared before PostgreSQL sees the segment.
      await fetchFile(store, `wal/${name}`, `${path}.fetched`);
      await rename(`${path}.fetched`, path);
    },
  );
  await syncFolder(wal);
}

/** Resolves when the file is on the disk and agrees with its digest, where one is known. */
async function fetchFile(
  { client, prefix }: BackupStore,
  key: string,
  path: string,
  expected?: BackupFile,
): Promise<void> {
  if (expected !== undefined && (await ifExists(hashFile(path)))?.sha256 === expected.sha256) return;
  for (let attempt = 1; ; attempt++) {
    await rm(path, { force: true });
    const file = await open(path, 'wx', 0o600);
    try {
      await giveToFolderOwner(file, dirname(path));
      const content = await client.get(`${prefix}${key}`);
      if (content === undefined) throw new Error(`${key} is missing in the store`);
      const hash = createHash('sha256');
      content.on('data', (chunk) => hash.update(chunk));
      await pipeline(content, file.createWriteStream());
      await syncFile(path);
      if (expected === undefined || hash.digest('hex') === expected.sha256) return;
      throw new Error(`${key} of the store does not agree with its digest`);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    } finally {
      // Where the stream has not done so.
      await file.close();
    }
  }
}
