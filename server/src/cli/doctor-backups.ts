import { listBackups } from '../db/embedded/backup/backup-folder.js';
import { DAY_MS, HOUR_MS } from '../lib/day.js';
import type { Settings } from '../settings/settings.js';
import type { DoctorFinding } from './doctor-finding.js';

/** A backup a day, and the time that one may take. */
const LATE_MS = DAY_MS + 6 * HOUR_MS;

/** When the last backup of the embedded database was, if the service makes them. */
export async function checkBackups(
  { backupDir, databaseUrl }: Settings,
  nowMs = Date.now(),
): Promise<DoctorFinding[]> {
  if (backupDir === undefined) return [];
  if (databaseUrl !== undefined) {
    const warning = 'SAVEPOINT_BACKUP_DIR is for the embedded database, and DATABASE_URL is set';
    return [{ name: 'backups', warning, advice: 'Use the backups of your PostgreSQL: docs/production.md.' }];
  }
  const unusable: DoctorFinding[] = [];
  const backups = await listBackups(backupDir, (name, reason) => {
    unusable.push({ name: `backup ${name}`, problem: reason, advice: 'Delete it, and look at the disk.' });
  });
  const newest = backups.at(-1);
  const name = `backups in ${backupDir}: ${newest === undefined ? 'none yet' : `the last of ${newest.manifest.finishedAt}`}`;
  const isLate = newest === undefined || nowMs - Date.parse(newest.manifest.finishedAt) > LATE_MS;
  const advice =
    'A running service makes one a day; its log says why it does not. Or run `savepoint backup`.';
  return [isLate ? { name, warning: 'there is none of the last day', advice } : { name }, ...unusable];
}
