import { Command } from 'commander';
import { type Backup, claimBackupFolder } from '../../platform/embedded-postgres/backup/backup-folder.js';
import {
  claimStore,
  copyBackup,
  openStore,
  storeUntil,
} from '../../platform/embedded-postgres/backup/backup-store.js';
import { fetchBackup } from '../../platform/embedded-postgres/backup/fetch-backup.js';
import { takeBackup } from '../../platform/embedded-postgres/backup/take-backup.js';
import { verifyArchive } from '../../platform/embedded-postgres/backup/verify-archive.js';
import { verifyBackup } from '../../platform/embedded-postgres/backup/verify-backup.js';
import { ownMajor } from '../../platform/embedded-postgres/binaries.js';
import { systemClock } from '../../platform/lib/clock.js';
import { inUnits } from '../../platform/lib/free-space.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { BucketSettings } from '../../platform/settings/bucket-settings.js';
import { interruptible } from '../../studio/cli/interrupt.js';
import { progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { requireSettings, say, withCommandDatabase } from '../../studio/cli/terminal.js';
import { addErasedList } from '../../trust/erasures/erased-list.js';
import { erasedListBeside, erasedListFile } from '../../trust/erasures/list-file.js';
import { addStoredErasedList } from '../../trust/erasures/stored-list.js';
import {
  describeBackup,
  listUsable,
  listUsableStored,
  refuseOtherServer,
  requireBackupFolder,
  requireBucket,
} from './backup-option.js';
import { chooseBackup, parseMoment } from './restore-command.js';

export function backupCommands(): Command {
  const backup = new Command('backup').description('backups of the embedded database');
  backup
    .command('run', { isDefault: true })
    .description('make a backup now, beside a running service or without one')
    .option('--to <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .action(run);
  backup
    .command('list')
    .description('list the whole backups of a folder, or of the bucket')
    .option('--from <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .option('--bucket', 'those in SAVEPOINT_BACKUP_S3_BUCKET', false)
    .action(list);
  backup
    .command('fetch')
    .description('copy a backup and the log after it from the bucket to the folder, to restore it from there')
    .option('--to <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .option('--at <time>', 'the newest that was finished by then, such as 2026-11-18T07:00:00Z')
    .option('--backup <name>', 'this one of `savepoint backup list --bucket`')
    .action(fetch);
  backup
    .command('verify')
    .description('read backups and their log again, and compare every file with its digest')
    .option('--from <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .action(verify);
  return backup;
}

const INTERRUPTED = 'No backup was made. What was copied is removed by the next one.';

async function run(options: { to?: string }): Promise<void> {
  const settings = requireSettings({ needsMasterKey: false });
  refuseOtherServer(settings);
  const to = requireBackupFolder(options.to, '--to', settings);
  await withCommandDatabase(settings, INTERRUPTED, async (_, signal) => {
    const line = createProgressLine();
    const made = await takeBackup({
      dataDir: settings.dataDir,
      to,
      signal,
      onProgress: (copied, total) => line.show(() => `${progressBar(copied, total)} ${inUnits(copied)}`),
    }).finally(() => line.end());
    if (made === undefined) throw new StartupError('Another backup is being made. Wait for it to end.');
    await addErasedList(erasedListFile(settings), erasedListBeside(to));
    say(describeBackup(made, await ownMajor()));
    if (!(await isWhole(made, signal))) process.exitCode = 1;
    else if (settings.backupBucket !== undefined) await copyToBucket(settings.backupBucket, made, to, signal);
  });
}

async function copyToBucket(
  bucket: BucketSettings,
  made: Backup,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const store = storeUntil(openStore(bucket, systemClock.now), signal);
  await claimStore(store, folder);
  const line = createProgressLine();
  await copyBackup(store, made, {
    signal,
    onProgress: (copied, total) => line.show(() => `${progressBar(copied, total)} to the bucket`),
  }).finally(() => line.end());
  say(`  copied   to ${bucket.bucket}/${bucket.prefix}${made.name}`);
}

async function list(options: { from?: string; bucket: boolean }): Promise<void> {
  if (options.bucket) return listBucket(requireBucket(requireSettings({ needsMasterKey: false })));
  const folder = requireBackupFolder(options.from, '--from', requireSettings({ needsMasterKey: false }));
  const backups = await listUsable(folder);
  const own = await ownMajor();
  for (const backup of backups) say(describeBackup(backup, own));
  if (backups.length === 0) say(`There is no backup in ${folder}.`);
}

async function listBucket(bucket: BucketSettings): Promise<void> {
  const backups = await listUsableStored(openStore(bucket, systemClock.now));
  const own = await ownMajor();
  for (const backup of backups) say(describeBackup(backup, own));
  if (backups.length === 0) say(`There is no backup in ${bucket.bucket}/${bucket.prefix}.`);
}

async function fetch(options: { to?: string; at?: string; backup?: string }): Promise<void> {
  const settings = requireSettings({ needsMasterKey: false });
  const bucket = requireBucket(settings);
  const to = requireBackupFolder(options.to, '--to', settings);
  const at = options.at === undefined ? undefined : parseMoment(options.at);
  const store = openStore(bucket, systemClock.now);
  const from = `${bucket.bucket}/${bucket.prefix}`;
  const chosen = chooseBackup(await listUsableStored(store), from, at, options.backup);
  await interruptible('Run it again: what was copied is kept.', async (signal) => {
    const ending = storeUntil(store, signal);
    await claimBackupFolder(to, chosen.manifest.systemIdentifier, settings.dataDir);
    // Before the backup: a restore after an interrupted fetch must know who was erased.
    await addStoredErasedList(ending, erasedListBeside(to));
    const line = createProgressLine();
    const backup = await fetchBackup(ending, chosen, to, {
      signal,
      onProgress: (copied, total) => line.show(() => `${progressBar(copied, total)} ${inUnits(copied)}`),
    }).finally(() => line.end());
    say(describeBackup(backup, await ownMajor()));
    say(`It is in ${to}, with the log after it. Restore it: savepoint restore --from ${to}`);
  });
}

async function verify(options: { from?: string }): Promise<void> {
  const folder = requireBackupFolder(options.from, '--from', requireSettings({ needsMasterKey: false }));
  await interruptible('Nothing was changed.', async (signal) => {
    const backups = await listUsable(folder);
    let areWhole = backups.length > 0;
    for (const backup of backups) if (!(await isWhole(backup, signal))) areWhole = false;
    for (const problem of await verifyArchive(folder, backups, signal)) {
      say(`  PROBLEM  ${problem}`);
      areWhole = false;
    }
    if (backups.length === 0) say(`There is no backup in ${folder}.`);
    if (!areWhole) process.exitCode = 1;
  });
}

async function isWhole(backup: Backup, signal: AbortSignal): Promise<boolean> {
  const line = createProgressLine();
  const problems = await verifyBackup(backup, {
    signal,
    onProgress: (read, total) => line.show(() => `${progressBar(read, total)} read again: ${inUnits(read)}`),
  }).finally(() => line.end());
  for (const problem of problems) say(`  PROBLEM  ${backup.name}: ${problem}`);
  if (problems.length === 0)
    say(`  ok       ${backup.name}: ${backup.manifest.files.length} files agree with their digests`);
  return problems.length === 0;
}
