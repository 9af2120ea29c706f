import { Command } from 'commander';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { dryRun } from '../dry-runs/dry-run.js';
import { readFutureInstant } from '../dry-runs/future-instant.js';
import { type CandidateOptions, candidateOf, sampleSize, withCandidate } from './candidate-option.js';
import { dryRunLines } from './dry-run-table.js';

type DryRunOptions = CandidateOptions & {
  tenant: string;
  game: string;
  at?: string;
  sample?: string;
};

const HELP = `
Decides for every player twice: with the published document and with the new one. Nothing is changed.

  savepoint config dry-run --tenant my-studio --game my-game --file config.json

It decides for now and for each time at which an offer or a SKU begins or ends later, with what is known of the players now. With --at it
decides for that time only.

Payers are players with a purchase that was not refunded; revenue is the share that those after have in all that was spent.`;

export function dryRunCommand(): Command {
  return withCandidate(withGame(new Command('dry-run')))
    .description(
      'say what publishing would change: who enters and leaves each flag, segment, offer, value and arm',
    )
    .option('--at <time>', 'a later time to decide for, such as 2026-11-15T12:00:00Z (default: now)')
    .option(
      '--sample <players>',
      'how many players to examine (default: all, or 500000 of more than 2 million)',
    )
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: DryRunOptions): Promise<void> {
  const sample = options.sample === undefined ? undefined : sampleSize(options.sample);
  const nowMs = options.at === undefined ? Date.now() : instantOf(options.at);
  await withDatabase(async ({ pool }, _, signal) => {
    const { id: gameId, publishedVersion } = await requireGame(pool, options.tenant, options.game);
    const after = await candidateOf(pool, gameId, publishedVersion, options);
    const { document: before } = await requireConfigVersion(pool, gameId, publishedVersion);
    const line = createProgressLine();
    const outcome = await dryRun(pool, {
      gameId,
      before,
      after,
      nowMs,
      sample,
      signal,
      isWithLater: options.at === undefined,
      onProgress: ({ examined, total }) =>
        line.show(`${progressBar(examined, total)} ${grouped(examined)} of ${grouped(total)} players`),
    }).finally(() => line.end());
    if (outcome.outcome === 'too_many_facts') throw new StartupError(outcome.message);
    if (outcome.outcome === 'interrupted') throw signal.reason;
    for (const text of dryRunLines(outcome.result)) say(text);
  }, 'Nothing was changed.');
}

function instantOf(text: string): number {
  const atMs = readFutureInstant(text, Date.now());
  if (atMs !== undefined) return atMs;
  throw new StartupError(`--at is "${text}": give a time in the future, such as 2026-11-15T12:00:00Z.`);
}
