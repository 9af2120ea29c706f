import { Command, Option } from 'commander';
import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { findDeletedBefore } from '../../studio/admin-api/game-queries.js';
import { outputClosed } from '../../studio/cli/closed-output.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { Interrupted } from '../../studio/cli/interrupt.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { tell, withDatabase } from '../../studio/cli/terminal.js';
import { writePieces } from '../../studio/cli/write-pieces.js';
import { parseInstant, type Span } from '../../studio/jobs/export-span.js';
import { exportPlayer, PLAYER_EXPORT_HELP } from '../../trust/cli/player-export-command.js';
import { exportEvents } from '../exports/export-events.js';
import { EXPORT_FORMATS, type ExportFormat } from '../exports/export-format.js';
import { exportPlayers } from '../exports/export-players.js';
import { estimateEvents } from '../exports/export-queries.js';
import {
  ExportFileError,
  type ExportTarget,
  openFileTarget,
  streamTarget,
} from '../exports/export-target.js';

type ExportCommandOptions = {
  tenant: string;
  game: string;
  from: string;
  to: string;
  format: ExportFormat;
  out?: string;
  resume: boolean;
};

const HELP = `
A day of events, compressed:
  savepoint export events --tenant demo-studio --game demo-game --from 2026-11-14 --to 2026-11-15 --out events.ndjson.gz
After an interruption of any kind the same command with --resume goes on where the file ends: nothing is missing, and
nothing is in it twice. Until it is complete, a file named like it with .cursor at the end says how far it has come.
NDJSON also has a line for each refund that a store reported, of the kind transactionChange, behind the events; CSV has events only.
In CSV, an apostrophe stands before what a spreadsheet would take for a formula in event ids and types. NDJSON is exact.`;

export function exportCommands(): Command {
  const exports = new Command('export').description('take data out');
  withGame(exports.command('events'))
    .description("write a game's events, in the order of their receipt, to a file or to standard output")
    .requiredOption('--from <time>', 'first instant of the events: a date (UTC) or an RFC 3339 time')
    .requiredOption('--to <time>', 'end: the first instant that is no longer included')
    .addOption(
      new Option('--format <format>', 'one JSON document or one CSV line an event')
        .choices(EXPORT_FORMATS)
        .default('ndjson'),
    )
    .option('--out <file>', 'where to; compressed if the name ends in .gz (default: standard output)')
    .option('--resume', 'go on with an unfinished file', false)
    .addHelpText('after', HELP)
    .action(run);
  withGame(exports.command('player'))
    .description('write everything that is stored about a player to a file or to standard output')
    .requiredOption('--player <user-id>', 'userId of the login response')
    .option('--out <file>', 'where to (default: standard output)')
    .addHelpText('after', PLAYER_EXPORT_HELP)
    .action(exportPlayer);
  withGame(exports.command('players'))
    .description(
      'write the ids, the times of creation and the devices of all players: what `savepoint import players` reads',
    )
    .option('--out <file>', 'where to; compressed if the name ends in .gz (default: standard output)')
    .action(exportPlayersTo);
  return exports;
}

async function exportPlayersTo({ tenant, game, out }: ExportCommandOptions): Promise<void> {
  await withDatabase(async ({ pool }, _, signal) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    await exportPlayers(pool, gameId, (pages) => writePieces(pages, out, signal));
    if (out !== undefined) tell(`Exported the players to ${out}.`);
  }, 'The export is not complete.');
}

async function run(options: ExportCommandOptions): Promise<void> {
  const span = readSpan(options);
  if (options.resume && options.out === undefined) {
    throw new StartupError('--resume needs --out: standard output cannot be gone on with.');
  }
  try {
    await withDatabase(
      ({ pool }, _, signal) => exportTo(pool, options, span, signal),
      'What was written stays.',
    );
  } catch (error) {
    throw error instanceof ExportFileError ? new StartupError(error.message) : error;
  }
}

async function exportTo(
  pool: Pool,
  options: ExportCommandOptions,
  span: Span,
  signal: AbortSignal,
): Promise<void> {
  const { tenant, game, format, out, resume } = options;
  const { id: gameId } = await requireGame(pool, tenant, game);
  const file =
    out === undefined ? undefined : await openFileTarget(out, { tenant, game, format, ...span }, { resume });
  const target: ExportTarget = file ?? streamTarget(process.stdout, signal);
  // A file is written even when the output of the command is not read.
  const stopped = file === undefined ? AbortSignal.any([signal, outputClosed]) : signal;
  const before = { events: file?.cursor.events ?? 0, key: file?.cursor.key ?? null };
  let events = before.events;
  const line = createProgressLine();
  try {
    const expected = await estimateEvents(pool, gameId, span);
    await tellOfDeleted(pool, gameId, span);
    const state = await exportEvents(pool, {
      gameId,
      span,
      format,
      target,
      after: before.key,
      signal: stopped,
      onProgress(exported) {
        events = before.events + exported.events;
        line.show(
          `${progressBar(events, expected)} ${grouped(events)} events, received by ${exported.at.slice(0, 19)}Z`,
        );
      },
    }).finally(() => line.end());
    if (state === 'done')
      return tell(`Exported ${grouped(events)} events${out === undefined ? '' : ` to ${out}`}.`);
    signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted(
      out === undefined
        ? 'Interrupted. The output is not complete.'
        : `Interrupted after ${grouped(events)} events. Go on with the same command and --resume.`,
    );
  }
}

async function tellOfDeleted(pool: Pool, gameId: number, { from }: Span): Promise<void> {
  const deletedBefore = await findDeletedBefore(pool, gameId);
  if (deletedBefore !== null && from < deletedBefore) {
    tell(`Events before ${deletedBefore} have been deleted, as the game's retention says.`);
  }
}

function readSpan(options: { from: string; to: string }): Span {
  const [from, to] = (['from', 'to'] as const).map((name) => {
    const instant = parseInstant(options[name]);
    if (instant !== undefined) return instant;
    throw new StartupError(
      `--${name} is "${options[name]}": give a date such as 2026-11-15, or an RFC 3339 time such as 2026-11-15T08:30:00Z.`,
    );
  }) as [string, string];
  if (from < to) return { from, to };
  throw new StartupError(`--from ${options.from} is not before --to ${options.to}.`);
}
