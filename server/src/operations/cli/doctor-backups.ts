import { type Backup, listBackups } from '../../platform/embedded-postgres/backup/backup-folder.js';
import { listStoredBackups, openStore } from '../../platform/embedded-postgres/backup/backup-store.js';
import { DAY_MS, HOUR_MS } from '../../platform/lib/day.js';
import type { BucketSettings } from '../../platform/settings/bucket-settings.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';

/** A backup a day, and the time that one may take. */
const LATE_MS = DAY_MS + 6 * HOUR_MS;

const ADVICE = 'A running service makes one a day; its log says why it does not. Or run `savepoint backup`.';

/** When the last backup of the embedded database was, if the service makes them: in the folder, and in the bucket. */
export async function checkBackups(
  { backupDir, backupBucket, databaseUrl }: Settings,
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
  return [
    findingOf(`backups in ${backupDir}`, backups.at(-1), nowMs),
    ...unusable,
    ...(backupBucket === undefined ? [] : await checkBucket(backupBucket, nowMs)),
  ];
}

async function checkBucket(bucket: BucketSettings, nowMs: number): Promise<DoctorFinding[]> {
  const name = `backups in the bucket ${bucket.bucket}/${bucket.prefix}`;
  try {
    const unusable: DoctorFinding[] = [];
    const backups = await listStoredBackups(openStore(bucket, Date.now), (backup, reason) => {
      unusable.push({ name: `backup ${backup} in the bucket`, problem: reason, advice: 'Delete it there.' });
    });
    return [findingOf(name, backups.at(-1), nowMs), ...unusable];
  } catch (error) {
    const advice = 'Look at the settings SAVEPOINT_S3_… and the rights of the key: docs/production.md.';
    return [{ name, problem: (error as Error).message, advice }];
  }
}

function findingOf(place: string, newest: Backup | undefined, nowMs: number): DoctorFinding {
  const name = `${place}: ${newest === undefined ? 'none yet' : `the last of ${newest.manifest.finishedAt}`}`;
  const isLate = newest === undefined || nowMs - Date.parse(newest.manifest.finishedAt) > LATE_MS;
  return isLate ? { name, warning: 'there is none of the last day', advice: ADVICE } : { name };
}
