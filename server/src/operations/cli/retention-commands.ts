import { Command } from 'commander';
import { describeOffset, isOff, readDatabaseClock } from '../../platform/db/database-clock.js';
import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { Interrupted } from '../../studio/cli/interrupt.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { type RetentionProgress, type RetentionResult, runRetention } from '../lifecycle/retention.js';

export function retentionCommands(): Command {
  const retention = new Command('retention').description('events that are no longer kept');
  retention
    .command('run')
    .description('delete events past the retention of their game (savepoint game set --retention-days) now')
    .option('--dry-run', 'only say what would be deleted', false)
    .addHelpText(
      'after',
      '\nCan be interrupted at any time, and goes on with the next run. The service does the same every hour.',
    )
    .action(({ dryRun }: { dryRun: boolean }) => run(dryRun));
  return retention;
}

async function run(dryRun: boolean): Promise<void> {
  await withDatabase(async ({ pool }, _, signal) => {
    await refuseWrongClock(pool);
    const line = createProgressLine();
    const result = await runRetention(pool, {
      actor: await commandActor(pool),
      dryRun,
      signal,
      onGames(games) {
        for (const { tenant, game, retentionDays, before } of games) {
          say(`${tenant}/${game} keeps ${retentionDays} days: events received before ${before} are deleted.`);
        }
      },
      onProgress: dryRun ? (progress) => say(`  would ${describe(progress)}`) : showOn(line),
    }).finally(() => line.end());
    if (result.state === 'interrupted') throw new Interrupted(summary(result, dryRun));
    say(summary(result, dryRun));
    if (result.state === 'waiting') process.exitCode = 1;
  }, 'The next run goes on from here.');
}

async function refuseWrongClock(pool: Pool): Promise<void> {
  const reading = await readDatabaseClock(pool);
  if (!isOff(reading)) return;
  throw new StartupError(
    `${describeOffset(reading)} One of the two is wrong, so nothing is deleted. Set the clock, and run this again.`,
  );
}

function showOn(line: { show(text: string): void }): (progress: RetentionProgress) => void {
  return (progress) =>
    line.show(`${progressBar(progress.donePages, progress.totalPages)} ${describe(progress)}`);
}

function describe({ partition, action, deletedEvents }: RetentionProgress): string {
  if (action === 'drop') return `drop ${partition}`;
  return `delete ${grouped(deletedEvents)} events in ${partition}`;
}

function summary({ state, droppedPartitions, deletedEvents }: RetentionResult, dryRun: boolean): string {
  const verb = dryRun ? 'Would have dropped' : 'Dropped';
  const counts = `${verb} ${droppedPartitions.length} partitions and deleted ${grouped(deletedEvents)} events${dryRun ? ' (those in the partitions included)' : ' one by one'}.`;
  switch (state) {
    case 'nothing':
      return 'There is nothing to delete.';
    case 'busy':
      return 'Another run is at work, here or on another node.';
    case 'waiting':
      return `${counts} Something held a lock or a transaction for too long; the next run goes on from here.`;
    case 'interrupted':
      return `Interrupted. ${counts} The next run goes on from here.`;
    case 'done':
      return counts;
  }
}
