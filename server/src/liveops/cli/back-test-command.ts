import { Command } from 'commander';
import { StartupError } from '../../platform/lib/startup-error.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printableLines } from '../../studio/cli/printable.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { backTest, DEFAULT_DAYS, DEFAULT_SAMPLE, MAX_DAYS, MAX_SAMPLE } from '../back-tests/back-test.js';
import { createRebuildPool } from '../explanations/rebuild-connections.js';
import { backTestLines } from './back-test-table.js';
import { type CandidateOptions, candidateOf, sampleSize, withCandidate } from './candidate-option.js';

type BackTestOptions = CandidateOptions & {
  tenant: string;
  game: string;
  days: string;
  sample: string;
  json: boolean;
};

const HELP = `
Rebuilds players from their own events as they were at the start of each of the last days (UTC), and decides for them twice: with the
version that was in force then, and with the new document. Says what they bought, and what it would have cost. Nothing is changed.

  savepoint config back-test --tenant my-studio --game my-game --file config.json --days 14 --sample 1000

It counts what was, and promises nothing: whether a lower price would have sold more is not known.`;

export function backTestCommand(): Command {
  return withCandidate(withGame(new Command('back-test')))
    .description(
      'say what a document would have done on the last days: who would have matched, what purchases would have cost',
    )
    .option('--days <number>', `whole days before today, at most ${MAX_DAYS}`, String(DEFAULT_DAYS))
    .option(
      '--sample <players>',
      `how many players to examine, at most ${MAX_SAMPLE}`,
      String(DEFAULT_SAMPLE),
    )
    .option('--json', 'print everything there is, as JSON', false)
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: BackTestOptions): Promise<void> {
  const sample = sampleSize(options.sample);
  if (sample > MAX_SAMPLE) throw new StartupError(`--sample is "${options.sample}": at most ${MAX_SAMPLE}.`);
  const days = daysOf(options.days);
  await withDatabase(async ({ pool, url }, _, signal) => {
    const { id: gameId, publishedVersion } = await requireGame(pool, options.tenant, options.game);
    const after = await candidateOf(pool, gameId, publishedVersion, options);
    const line = createProgressLine();
    const rebuilds = createRebuildPool(url);
    const outcome = await backTest(pool, rebuilds, {
      gameId,
      after,
      nowMs: Date.now(),
      days,
      sample,
      signal,
      onProgress: ({ examined, total }) =>
        line.show(`${progressBar(examined, total)} ${grouped(examined)} of ${grouped(total)} players`),
    }).finally(async () => {
      line.end();
      await rebuilds.end();
    });
    if (outcome.outcome === 'interrupted') throw signal.reason;
    if (options.json) say(printableLines(JSON.stringify(outcome.result, null, 2)));
    else for (const text of backTestLines(outcome.result)) say(text);
  }, 'Nothing was changed.');
}

function daysOf(text: string): number {
  const days = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new StartupError(`--days is "${text}": give a number from 1 to ${MAX_DAYS}.`);
}
