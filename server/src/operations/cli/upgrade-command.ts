import { Command } from 'commander';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { Settings } from '../../platform/settings/settings.js';
import { interruptible } from '../../studio/cli/interrupt.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { requireSettings, say } from '../../studio/cli/terminal.js';
import { addErasedList } from '../../trust/erasures/erased-list.js';
import { erasedListBeside, erasedListFile } from '../../trust/erasures/list-file.js';
import { type Upgraded, upgradeCluster } from '../major-upgrade/upgrade-cluster.js';

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .description(
      'move the embedded database to the major version of PostgreSQL that comes with this Savepoint',
    )
    .requiredOption(
      '--from-binaries <folder>',
      'where npm has installed the PostgreSQL that made the database; the error of a start says how',
    )
    .action(upgrade);
}

async function upgrade({ fromBinaries }: { fromBinaries: string }): Promise<void> {
  const settings = requireSettings({ needsMasterKey: false });
  if (settings.databaseUrl !== undefined) {
    throw new StartupError(
      'DATABASE_URL is set, and this command is for the embedded PostgreSQL. Upgrade your PostgreSQL as its manual says (pg_upgrade).',
    );
  }
  await interruptible('The database is as it was. Run the command again: it begins anew.', async (signal) => {
    const line = createProgressLine();
    const upgraded = await upgradeCluster({
      dataDir: settings.dataDir,
      fromBinaries,
      backups: settings.backupDir,
      signal,
      say,
      onProgress: ({ step, table, doneBytes, totalBytes }) =>
        line.show(() => `${progressBar(doneBytes, totalBytes)} ${step} ${table}`),
    }).finally(() => line.end());
    if (upgraded === undefined)
      return say('The database is of the PostgreSQL that comes with this Savepoint already: nothing to do.');
    // With the backups of the old database: whoever restores one has to know who was erased.
    if (upgraded.backups !== undefined)
      await addErasedList(erasedListFile(settings), erasedListBeside(upgraded.backups));
    for (const each of describeUpgrade(upgraded, settings)) say(each);
  });
}

/** What was done, and what is left to do. */
export function describeUpgrade(
  { from, to, tables, rows, kept, backups }: Upgraded,
  { backupDir, backupBucket }: Pick<Settings, 'backupDir' | 'backupBucket'>,
): string[] {
  return [
    `Moved from PostgreSQL ${from} to ${to}: ${grouped(rows)} rows of ${tables} tables, each table read again and compared.`,
    `The old database is in ${kept}. Delete it when you do not need it any more: players who are erased from now on are still in it.`,
    ...(backups === undefined
      ? []
      : [
          `Its backups are in ${backups}. Only a Savepoint with PostgreSQL ${from.split('.')[0]} restores them, and nothing deletes them but you.`,
        ]),
    backupDir === undefined
      ? 'No backup of the old database can be restored by this Savepoint. Make one of the new: savepoint backup --to <folder>'
      : `The service makes the first backup of the new database in ${backupDir} when it starts.`,
    ...(backupBucket === undefined
      ? []
      : [
          'The bucket holds the backups of the old database: set another SAVEPOINT_BACKUP_S3_PREFIX before you start.',
        ]),
    'Start the service now. Then compare the numbers of each game with its events: savepoint rollups check',
  ];
}
