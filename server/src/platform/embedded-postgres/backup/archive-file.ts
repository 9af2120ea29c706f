import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../lib/durable-file.js';
import { ifExists } from '../errno.js';
import { packFile, writeHashed } from './hashed-files.js';
import { isHistory, isSegment } from './wal-segments.js';

const PACKED = '.gz';

/** The segments and timeline histories that an archive, or the log of a backup, holds. */
export async function listArchived(folder: string): Promise<Set<string>> {
  const names = ((await ifExists(readdir(folder))) ?? []).filter(isArchivedFile);
  return new Set(names.map((name) => name.slice(0, -PACKED.length)));
}

/** Whether a name is that of a packed segment or history. */
export function isArchivedFile(file: string): boolean {
  const name = file.slice(0, -PACKED.length);
  return file.endsWith(PACKED) && (isSegment(name) || isHistory(name));
}

export const archivedPath = (folder: string, name: string): string => join(folder, `${name}${PACKED}`);

/** Resolves when the file is in the archive and on the disk. A kill leaves it there whole, or not at all. */
export async function archiveFile(from: string, folder: string, name: string): Promise<void> {
  const path = archivedPath(folder, name);
  const temporary = `${path}.new-${process.pid}`;
  await rm(temporary, { force: true });
  await writeHashed(temporary, await packFile(from));
  await rename(temporary, path);
  await syncFolder(folder);
}

/** So that no later restore begins a timeline of the same number. */
export async function archiveHistories(clusterDir: string, folder: string): Promise<void> {
  const archived = await listArchived(folder);
  const histories = (await readdir(join(clusterDir, 'pg_wal'))).filter(isHistory);
  for (const name of histories) {
    if (!archived.has(name)) await archiveFile(join(clusterDir, 'pg_wal', name), folder, name);
  }
}
