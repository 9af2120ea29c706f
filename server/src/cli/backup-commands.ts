import { Command } from 'commander';
import type { Backup } from '../db/embedded/backup/backup-folder.js';
import { takeBackup } from '../db/embedded/backup/take-backup.js';
import { verifyArchive } from '../db/embedded/backup/verify-archive.js';
import { verifyBackup } from '../db/embedded/backup/verify-backup.js';
import { addErasedList } from '../features/erasures/erased-list.js';
import { erasedListBeside, erasedListFile } from '../features/erasures/list-file.js';
import { inUnits } from '../lib/free-space.js';
import { StartupError } from '../lib/startup-error.js';
import { describeBackup, listUsable, refuseOtherServer, requireBackupFolder } from './backup-option.js';
import { interruptible } from './interrupt.js';
import { progressBar } from './progress-bar.js';
import { createProgressLine } from './progress-line.js';
import { requireSettings, say, withCommandDatabase } from './terminal.js';

export function backupCommands(): Command {
  const backup = new Command('backup').description('backups of the embedded database');
  backup
    .command('run', { isDefault: true })
    .description('make a backup now, beside a running service or without one')
    .option('--to <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .action(run);
  backup
    .command('list')
    .description('list the whole backups of a folder')
    .option('--from <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .action(list);
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
    say(describeBackup(made));
    if (!(await isWhole(made, signal))) process.exitCode = 1;
  });
}

async function list(options: { from?: string }): Promise<void> {
  const folder = requireBackupFolder(options.from, '--from', requireSettings({ needsMasterKey: false }));
  const backups = await listUsable(folder);
  for (const backup of backups) say(describeBackup(backup));
  if (backups.length === 0) say(`There is no backup in ${folder}.`);
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
