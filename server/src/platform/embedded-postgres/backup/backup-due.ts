import { join } from 'node:path';
import { DAY_MS } from '../../lib/day.js';
import { listArchived } from './archive-file.js';
import { type Backup, walFolderOf } from './backup-folder.js';
import { missingAfter } from './verify-archive.js';
import { isSegment, timelineOf } from './wal-segments.js';

/**
 * Whether a new backup is needed: there is none of the last day, the log after the newest has a gap, or a restore has begun another
 * timeline since.
 */
export async function isBackupDue(
  folder: string,
  newest: Backup | undefined,
  nowMs: number,
): Promise<boolean> {
  if (newest === undefined || nowMs - Date.parse(newest.manifest.startedAt) >= DAY_MS) return true;
  const archived = await listArchived(walFolderOf(folder));
  return isCutOff(
    newest.manifest,
    new Set([...archived, ...(await listArchived(join(newest.folder, 'wal')))]),
  );
}

/** Whether segments were archived that a restore from this backup cannot reach. */
export function isCutOff(
  { startSegment }: { startSegment: string },
  available: ReadonlySet<string>,
): boolean {
  const latest = [...available].filter(isSegment).sort().at(-1) ?? startSegment;
  if (timelineOf(latest) !== timelineOf(startSegment)) return true;
  return missingAfter(startSegment, available) !== undefined;
}
