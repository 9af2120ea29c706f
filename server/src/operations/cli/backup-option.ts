import { resolve } from 'node:path';
import { type Backup, listBackups } from '../../platform/embedded-postgres/backup/backup-folder.js';
import { type BackupStore, listStoredBackups } from '../../platform/embedded-postgres/backup/backup-store.js';
import { bytesOf } from '../../platform/embedded-postgres/backup/verify-backup.js';
import { inUnits } from '../../platform/lib/free-space.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { BucketSettings } from '../../platform/settings/bucket-settings.js';
import type { Settings } from '../../platform/settings/settings.js';
import { say } from '../../studio/cli/terminal.js';

/** The folder of an option, else of the setting. */
export function requireBackupFolder(given: string | undefined, option: string, settings: Settings): string {
  const folder = given === undefined ? settings.backupDir : resolve(given);
  if (folder !== undefined) return folder;
  throw new StartupError(`Name the folder of the backups with ${option}, or set SAVEPOINT_BACKUP_DIR.`);
}

export function requireBucket({ backupBucket }: Settings): BucketSettings {
  if (backupBucket !== undefined) return backupBucket;
  throw new StartupError(
    'Set SAVEPOINT_BACKUP_S3_BUCKET, SAVEPOINT_S3_ACCESS_KEY_ID and SAVEPOINT_S3_SECRET_ACCESS_KEY as the service has them.',
  );
}

export function refuseOtherServer({ databaseUrl }: Settings): void {
  if (databaseUrl === undefined) return;
  throw new StartupError(
    'DATABASE_URL is set, and these commands are for the embedded PostgreSQL. Use the backups of your PostgreSQL: docs/production.md has the commands.',
  );
}

/** Those that can be used; others are named. */
export function listUsable(folder: string): Promise<Backup[]> {
  return listBackups(folder, sayUnusable);
}

/** The same of the bucket. */
export function listUsableStored(store: BackupStore): Promise<Backup[]> {
  return listStoredBackups(store, sayUnusable);
}

const sayUnusable = (name: string, reason: string): void => say(`  ${name} cannot be used: ${reason}`);

/** @param own the major version of PostgreSQL that this Savepoint restores */
export function describeBackup({ name, manifest }: Backup, own: string | undefined): string {
  const { postgres, files, finishedAt } = manifest;
  const [major] = postgres.split('.');
  const when =
    own === undefined || major === own
      ? `restorable to any moment from ${finishedAt}`
      : `of ${finishedAt}, restorable only by a Savepoint with PostgreSQL ${major}`;
  return `${name}  ${inUnits(bytesOf(files)).padStart(9)}  PostgreSQL ${postgres}  ${when}`;
}
