import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Backup, deleteBackup, walFolderOf } from './backup-folder.js';
import { isSegment, positionOf } from './wal-segments.js';

/** Deletes all but the newest backups, and the log that none of these needs. Returns how many backups. */
export async function pruneBackups(
  folder: string,
  backups: readonly Backup[],
  keptCount: number,
): Promise<number> {
  const { deleted, kept } = divideBackups(backups, keptCount);
  for (const backup of deleted) await deleteBackup(backup);
  const wal = walFolderOf(folder);
  for (const name of unneededFiles(await readdir(wal), kept)) await rm(join(wal, name), { force: true });
  return deleted.length;
}

/** `backups` from the oldest on. */
export function divideBackups(
  backups: readonly Backup[],
  keptCount: number,
): { deleted: readonly Backup[]; kept: readonly Backup[] } {
  const first = Math.max(backups.length - keptCount, 0);
  return { deleted: backups.slice(0, first), kept: backups.slice(first) };
}

/** Files of the archive that lie before every kept backup, on any timeline. Without a backup all are kept. */
export function unneededFiles(
  names: readonly string[],
  kept: readonly { manifest: { startSegment: string } }[],
): string[] {
  const first = Math.min(...kept.map(({ manifest }) => positionOf(manifest.startSegment)));
  if (!Number.isFinite(first)) return [];
  return names.filter((name) => isSegment(name.slice(0, 24)) && positionOf(name.slice(0, 24)) < first);
}
