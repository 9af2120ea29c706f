import { join } from 'node:path';
import { archivedPath, listArchived } from './archive-file.js';
import { type Backup, walFolderOf } from './backup-folder.js';
import { unpackFile } from './hashed-files.js';
import { isSegment, positionOf, segmentsBetween, timelineOf } from './wal-segments.js';

/** Reads the archived log again. Returns what is wrong: damaged segments, and gaps that a restore could not pass. */
export async function verifyArchive(
  folder: string,
  backups: readonly Backup[],
  signal?: AbortSignal,
): Promise<string[]> {
  const wal = walFolderOf(folder);
  const archived = await listArchived(wal);
  const problems: string[] = [];
  for (const name of archived) {
    signal?.throwIfAborted();
    await unpackFile(archivedPath(wal, name)).catch((error: Error) =>
      problems.push(`${archivedPath(wal, name)} is damaged: ${error.message}`),
    );
  }
  for (const { name, folder: own, manifest } of backups) {
    const available = new Set([...archived, ...(await listArchived(join(own, 'wal')))]);
    const missing = missingAfter(manifest.startSegment, available);
    if (missing !== undefined)
      problems.push(`${missing} of the log is missing: ${name} can be restored up to it, not beyond`);
  }
  return problems;
}

/** The first segment that is not there although later ones of its timeline are. */
export function missingAfter(first: string, available: ReadonlySet<string>): string | undefined {
  const last = [...available]
    .filter((name) => isSegment(name) && timelineOf(name) === timelineOf(first))
    .reduce((latest, name) => (positionOf(name) > positionOf(latest) ? name : latest), first);
  return segmentsBetween(first, last).find((segment) => !available.has(segment));
}
