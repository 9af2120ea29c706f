import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../lib/startup-error.js';
import { makePrivateDirectory } from '../cluster-place.js';
import { ifExists } from '../errno.js';
import type { ServerUser } from '../server-user.js';
import { archivedPath, listArchived } from './archive-file.js';
import { type Backup, walFolderOf } from './backup-folder.js';
import { copyHashed, unpackFile, writeHashed } from './hashed-files.js';
import { bytesOf, verifyBackup } from './verify-backup.js';
import { isHistory, unbrokenFrom } from './wal-segments.js';

const CLUSTER = 'cluster/';

type Options = Readonly<{
  backup: Backup;
  /** The folder of all backups. */
  from: string;
  /** Where the cluster is put together. */
  to: string;
  user: ServerUser | undefined;
  signal: AbortSignal;
  onProgress: (copiedBytes: number, totalBytes: number) => void;
}>;

/** The cluster as it was copied, with all the log that there is after it. Each file is compared with its digest. */
export async function restoreFiles(options: Options): Promise<void> {
  await refuseDamaged(options.backup, options.signal);
  await restoreCluster(options);
  await restoreLog(options);
  const signal = join(options.to, 'recovery.signal');
  await writeHashed(signal, '');
  await giveTo(options.user, signal);
}

/** What is not compared while it is copied. */
async function refuseDamaged(backup: Backup, signal: AbortSignal): Promise<void> {
  const files = backup.manifest.files.filter(({ path }) => !path.startsWith(CLUSTER));
  const [problem] = await verifyBackup({ ...backup, manifest: { ...backup.manifest, files } }, { signal });
  if (problem !== undefined) throw damaged(backup, problem);
}

function damaged({ folder }: Backup, problem: string): StartupError {
  return new StartupError(
    `The backup ${folder} is damaged: ${problem}. Nothing was restored. Use another backup (--backup).`,
  );
}

async function restoreCluster({ backup, to, user, signal, onProgress }: Options): Promise<void> {
  const { folders, files } = backup.manifest;
  await makePrivateDirectory(to, user);
  for (const folder of folders) {
    await mkdir(join(to, folder), { mode: 0o700 });
    await giveTo(user, join(to, folder));
  }
  const totalBytes = bytesOf(files);
  let copiedBytes = 0;
  for (const { path, sha256 } of files.filter((file) => file.path.startsWith(CLUSTER))) {
    signal.throwIfAborted();
    const target = join(to, path.slice(CLUSTER.length));
    // PostgreSQL syncs the whole folder before it reads the log.
    const copied = await ifExists(copyHashed(join(backup.folder, path), target, { isSynced: false }));
    if (copied === undefined) throw damaged(backup, `${path} is missing`);
    if (copied.sha256 !== sha256) throw damaged(backup, `${path} was changed`);
    await giveTo(user, target);
    copiedBytes += copied.size;
    onProgress(copiedBytes, totalBytes);
  }
}

/**
 * PostgreSQL could fetch segments from the archive by a command of its own. That command would run as another user where the service
 * runs as root, and that user need not be able to read the archive.
 */
async function restoreLog({ backup, from, to, user, signal }: Options): Promise<void> {
  const own = join(backup.folder, 'wal');
  const archive = walFolderOf(from);
  const [inBackup, inArchive] = [await listArchived(own), await listArchived(archive)];
  const segments = unbrokenFrom(backup.manifest.startSegment, new Set([...inBackup, ...inArchive]));
  for (const name of [...segments, ...[...inArchive].filter(isHistory)]) {
    signal.throwIfAborted();
    const path = archivedPath(inBackup.has(name) ? own : archive, name);
    const content = await unpackFile(path).catch((error: Error) => {
      throw new StartupError(
        `${path}, a part of the log, is damaged (${error.message}). Nothing was restored. Move the file away to restore what came before it.`,
      );
    });
    const target = join(to, 'pg_wal', name);
    await writeHashed(target, content);
    await giveTo(user, target);
  }
}

async function giveTo(user: ServerUser | undefined, path: string): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}
