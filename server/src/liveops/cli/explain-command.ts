import { Command } from 'commander';
import { systemClock } from '../../platform/lib/clock.js';
import type { KeySemaphore } from '../../platform/lib/fair-semaphore.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable, printableLines } from '../../studio/cli/printable.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { type Explanation, explain } from '../explanations/explain.js';
import type { WantedVersion } from '../explanations/explained-document.js';
import { readInstant } from '../explanations/instant.js';
import { createRebuildPool } from '../explanations/rebuild-connections.js';

type ExplainOptions = {
  tenant: string;
  game: string;
  player: string;
  at?: string;
  configVersion?: string;
  json: boolean;
};

const HELP = `
Without --at it is about now, without --config-version about the version in force at that time. For the past, what was known
of the player is rebuilt from the stored events; for the future it is what is known now, at that time. Nothing is changed.

  savepoint explain --tenant my-studio --game my-game --player 0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a --at 2026-11-14T18:00:00Z`;

export function explainCommand(): Command {
  return withGame(new Command('explain'))
    .description(
      'say why a player is told what they are told: flags, segments, offers, values, experiments and every price',
    )
    .requiredOption('--player <user-id>', 'userId of the login response')
    .option('--at <time>', 'the time to explain, such as 2026-11-15T12:00:00Z (default: now)')
    .option('--config-version <number>', 'another version, or draft (default: the one in force then)')
    .option('--json', 'print everything there is, as JSON', false)
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: ExplainOptions): Promise<void> {
  const { tenant, game, player } = options;
  const atMs = options.at === undefined ? undefined : instantOf(options.at);
  const version = versionOf(options.configVersion);
  await withDatabase(async ({ pool, url }, _, signal) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    // A command runs one explanation, so it needs no semaphore.
    const semaphore: KeySemaphore = { take: (work) => work() };
    const rebuilds = createRebuildPool(url);
    const outcome = await explain(
      { pool, rebuilds, clock: systemClock, semaphore, signal },
      { gameId, player: { userId: player }, atMs, version },
    ).finally(() => rebuilds.end());
    switch (outcome.outcome) {
      case 'explained':
        if (options.json) say(printableLines(JSON.stringify(outcome.explanation, null, 2)));
        else sayExplanation(outcome.explanation);
        return;
      case 'player_not_found':
        throw new StartupError(
          outcome.firstSeenAt === null
            ? `${tenant}/${game} has no player "${player}".`
            : `The player was first seen later, at ${isoTime(outcome.firstSeenAt)}.`,
        );
      case 'version_not_found':
        throw new StartupError(
          `There is no version ${version}; savepoint config list shows those there are.`,
        );
      default:
        throw new Error(`nothing else can come of it: ${outcome.outcome}`);
    }
  }, 'Nothing was changed.');
}

function instantOf(text: string): number {
  const atMs = readInstant(text);
  if (atMs !== undefined) return atMs;
  throw new StartupError(`--at is "${text}": give a time such as 2026-11-15T12:00:00Z.`);
}

function versionOf(text: string | undefined): WantedVersion {
  if (text === undefined || text === 'draft') return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new StartupError(`--config-version is "${text}": give a number, such as 3, or draft.`);
}

function sayExplanation({
  at,
  version,
  source,
  completeSince,
  facts,
  decision,
  because,
  problems,
}: Explanation) {
  const { store, heldOut } = decision;
  const { userSpecificPromoId } = store as { userSpecificPromoId: string | null };
  const told = version === 'draft' ? 'the draft' : `version ${version}`;
  say(`Player ${facts.playerId} at ${at}, under ${told}, from ${SOURCES[source]}.`);
  if (completeSince !== null) {
    say(`Events from before ${completeSince} are deleted: what they told is missing here.`);
  }
  section('Flags', because.flags);
  section('Segments', because.segments);
  section('Offers', because.offers);
  section('Store', [
    ...(heldOut ? ['The player is held out: this is the untargeted store.'] : []),
    ...because.skus,
    `First promotion: ${userSpecificPromoId ?? 'none'}. ETag: ${decision.storeEtag}.`,
  ]);
  if (because.values.length > 0) section('Values', because.values);
  if (because.experiments.length > 0) section('Experiments', because.experiments);
  section('Predictions', because.predictions);
  if (problems.length > 0)
    section(
      'Problems',
      problems.map(({ part, message }) => `${part}: ${message}`),
    );
  say(
    `\n${decision.validUntil === null ? 'Time alone changes nothing of it.' : `Time alone changes nothing of it before ${decision.validUntil}.`}`,
  );
}

const SOURCES: Record<Explanation['source'], string> = {
  'current row': 'what is known now',
  'stored events': 'the stored events',
  hypothetical: 'what was given',
};

function section(title: string, lines: readonly string[]): void {
  say(`\n${title}`);
  for (const line of lines.length === 0 ? ['none'] : lines) say(`  ${printable(line)}`);
}
