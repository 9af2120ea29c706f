import type { Logger } from 'pino';
import { isBackupDue } from '../../platform/embedded-postgres/backup/backup-due.js';
import { listBackups } from '../../platform/embedded-postgres/backup/backup-folder.js';
import { openStore } from '../../platform/embedded-postgres/backup/backup-store.js';
import { pruneBackups } from '../../platform/embedded-postgres/backup/prune-backups.js';
import { takeBackup } from '../../platform/embedded-postgres/backup/take-backup.js';
import { archiveLog, endArchive } from '../../platform/embedded-postgres/backup/wal-archive.js';
import { createPoller } from '../../platform/lib/poller.js';
import type { BucketSettings } from '../../platform/settings/bucket-settings.js';
import { erasedListFile } from '../../trust/erasures/list-file.js';
import { type BackupCopies, createBackupCopies, NO_COPIES } from './backup-copies.js';
import type { BackupMetrics } from './backup-metrics.js';

const LOOK_EVERY_MS = 10_000;
/** What a lost disk loses at most, but for the time to copy it. */
const SEGMENT_MS = 60_000;
/** Files are looked at only; a backup is made once a day. */
const BACKUP_LOOK_EVERY_MS = 60_000;

/** The process is killed some seconds after it was asked to stop. The next start copies what is missing. */
const LAST_COPY_MS = 2_000;

export type BackupSchedule = { stop(): Promise<void> };

type Options = Readonly<{
  dataDir: string;
  backupDir: string;
  backupsKept: number;
  backupBucket: BucketSettings | undefined;
  erasedList: string | undefined;
  /** The time of the database. */
  now: () => number;
  logger: Logger;
  metrics: BackupMetrics;
}>;

/**
 * Archives the log about once a minute and makes a backup a day, and copies both to the bucket, if there is one. Each has a poller of its own:
 * backups are long, and the log does not wait for them. A bucket that hangs holds up its copies only.
 */
function startBackups(options: Options): BackupSchedule {
  const { dataDir, backupDir, backupsKept, backupBucket, now, logger, metrics } = options;
  const copies = openCopies(options);
  metrics.begin(now());
  const logFailure = (error: unknown): void =>
    logger.error(
      { err: error, backupDir },
      "the log of changes could not be archived; it is tried again. Until then it fills the database's disk",
    );
  const copyFailure =
    (what: string) =>
    (error: unknown): void =>
      logger.error(
        { err: error, bucket: backupBucket?.bucket },
        `${what} could not be copied to the bucket; it is tried again`,
      );
  const logCopyFailure = copyFailure('the log of changes');
  let archivedAt: number | undefined;
  const copyLog = async (signal: AbortSignal): Promise<void> => {
    const until = archivedAt;
    // The first archive makes the folder.
    if (until === undefined) return;
    await copies.copyLog(signal);
    metrics.setArchived(until);
  };
  let segmentEndedAt = 0;
  const archive = createPoller({
    everyMs: LOOK_EVERY_MS,
    async work(signal) {
      const startedAt = performance.now();
      const endSegment = startedAt - segmentEndedAt >= SEGMENT_MS;
      await archiveLog({ dataDir, to: backupDir, endSegment, signal });
      if (endSegment) segmentEndedAt = startedAt;
      archivedAt = now();
      logCopies.nudge();
    },
    onError: logFailure,
  });
  const backups = createPoller({
    everyMs: BACKUP_LOOK_EVERY_MS,
    async work(signal) {
      const newest = (await listBackups(backupDir)).at(-1);
      if (!(await isBackupDue(backupDir, newest, now()))) return;
      const made = await takeBackup({ dataDir, to: backupDir, signal });
      if (made === undefined) return;
      const pruned = await pruneBackups(backupDir, await listBackups(backupDir), backupsKept);
      logger.info({ backup: made.folder, pruned }, 'a backup was made');
      backupCopies.nudge();
    },
    onError: (error) =>
      logger.error({ err: error, backupDir }, 'a backup could not be made; it is tried again in a minute'),
  });
  const logCopies = createPoller({ everyMs: LOOK_EVERY_MS, work: copyLog, onError: logCopyFailure });
  const backupCopies = createPoller({
    everyMs: BACKUP_LOOK_EVERY_MS,
    async work(signal) {
      const made = await listBackups(backupDir);
      const last = made.at(-1);
      await copies.copyBackups(made, signal).finally(() => {
        if (last !== undefined && copies.has(last)) metrics.setBackup(Date.parse(last.manifest.finishedAt));
      });
    },
    onError: copyFailure('the backups'),
  });
  const pollers = [archive, backups, logCopies, backupCopies];
  for (const poller of pollers) poller.start();
  return {
    async stop() {
      await Promise.all(pollers.map((poller) => poller.stop()));
      // So that an orderly stop does not leave a minute of the log behind.
      await archiveLog({ dataDir, to: backupDir, endSegment: true }).catch(logFailure);
      await copyLog(AbortSignal.timeout(LAST_COPY_MS)).catch(logCopyFailure);
    },
  };
}

function openCopies(options: Options): BackupCopies {
  const { backupBucket, backupDir, backupsKept, dataDir, erasedList, now } = options;
  if (backupBucket === undefined) return NO_COPIES;
  const erasedFile = erasedListFile({ erasedList, backupDir, dataDir });
  return createBackupCopies(openStore(backupBucket, now), { backupDir, backupsKept, erasedFile });
}

/** Of the embedded database; nothing for another one, and none without a folder. */
export async function scheduleBackups(
  databaseDir: string | undefined,
  options: Omit<Options, 'backupDir'> & Readonly<{ backupDir: string | undefined }>,
): Promise<BackupSchedule> {
  const { backupDir, dataDir, logger } = options;
  if (databaseDir !== undefined && backupDir !== undefined) return startBackups({ ...options, backupDir });
  if (databaseDir !== undefined) {
    await endArchive(dataDir).catch((error: unknown) =>
      logger.warn({ err: error }, 'the archive of the log could not be ended'),
    );
  } else if (backupDir !== undefined) {
    logger.warn(
      'SAVEPOINT_BACKUP_DIR is for the embedded database, and DATABASE_URL is set: nothing is backed up',
    );
  }
  return { async stop() {} };
}
