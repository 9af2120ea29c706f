import { Command } from 'commander';
import type { Backup } from '../../platform/embedded-postgres/backup/backup-folder.js';
import { restoreBackup } from '../../platform/embedded-postgres/backup/restore-backup.js';
import { inUnits } from '../../platform/lib/free-space.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { interruptible } from '../../studio/cli/interrupt.js';
import { progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { requireSettings, say } from '../../studio/cli/terminal.js';
import { addErasedList } from '../../trust/erasures/erased-list.js';
import { erasedListBeside, erasedListFile } from '../../trust/erasures/list-file.js';
import { listUsable, refuseOtherServer, requireBackupFolder } from './backup-option.js';

type Options = { from?: string; at?: string; backup?: string; replace: boolean };

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore the embedded database from a backup, to a moment or to the end of its log')
    .option('--from <folder>', 'folder of the backups (default: SAVEPOINT_BACKUP_DIR)')
    .option('--at <time>', 'such as 2026-11-18T07:00:00Z (default: all that the log holds)')
    .option(
      '--backup <name>',
      'begin with this one of `savepoint backup list` (default: the newest that fits)',
    )
    .option('--replace', 'set a database that is there aside: it is renamed, not deleted', false)
    .action(restore);
}

async function restore(options: Options): Promise<void> {
  const settings = requireSettings({ needsMasterKey: false });
  refuseOtherServer(settings);
  const from = requireBackupFolder(options.from, '--from', settings);
  const at = options.at === undefined ? undefined : parseMoment(options.at);
  const backup = chooseBackup(await listUsable(from), from, at, options.backup);
  await interruptible('Nothing was restored.', async (signal) => {
    say(`Restoring ${backup.folder} to ${settings.dataDir}…`);
    const line = createProgressLine();
    const reached = await restoreBackup({
      dataDir: settings.dataDir,
      from,
      backup,
      at,
      replace: options.replace,
      signal,
      say,
      onProgress: (copied, total) => line.show(() => `${progressBar(copied, total)} ${inUnits(copied)}`),
      onReached: (time) => line.show(() => `Reading the log: ${time.toISOString()}`),
      beforeSwap: () => addErasedList(erasedListBeside(from), erasedListFile(settings)),
    }).finally(() => line.end());
    say(
      reached === undefined
        ? `Restored as it was at ${backup.manifest.finishedAt}.`
        : `Restored. The last transaction is of ${reached.toISOString()}.`,
    );
    say('Start the service now. Players who were erased since are erased again before it is ready.');
  });
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

export function parseMoment(text: string): Date {
  const moment = new Date(text);
  if (MOMENT.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new StartupError(
    `--at is "${text}": write a moment with its time zone, such as 2026-11-18T07:00:00Z.`,
  );
}

/** The newest backup that was finished at the moment. */
export function chooseBackup(
  backups: readonly Backup[],
  from: string,
  at: Date | undefined,
  name: string | undefined,
): Backup {
  const named = name === undefined ? backups : backups.filter((backup) => backup.name === name);
  if (named.length === 0) {
    throw new StartupError(
      name === undefined ? `There is no backup in ${from}.` : `There is no backup ${name} in ${from}.`,
    );
  }
  const finished = named.filter(
    ({ manifest }) => at === undefined || Date.parse(manifest.finishedAt) <= at.getTime(),
  );
  const newest = finished.at(-1);
  if (newest !== undefined) return newest;
  throw new StartupError(
    `The earliest moment that can be restored is ${named[0]?.manifest.finishedAt}, when the backup ${named[0]?.name} was finished.`,
  );
}
