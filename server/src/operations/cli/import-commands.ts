import { Command } from 'commander';
import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { createErasureHashes, type ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { Interrupted } from '../../studio/cli/interrupt.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, tell, withMasterKeys } from '../../studio/cli/terminal.js';
import { listErasedUsers } from '../../trust/erasures/erased-players.js';
import { eventImporter, type FindErased } from '../imports/import-events.js';
import { playerImporter } from '../imports/import-players.js';
import type { ImportKind, ImportProgress } from '../imports/import-queries.js';
import { type ImportOptions, type ImportResult, runImport } from '../imports/run-import.js';

type ImportCommandOptions = {
  tenant: string;
  game: string;
  file: string;
  rejects?: string;
  pauses: boolean;
};

/** All of them are in the file of rejects. */
const SHOWN_REJECTS = 10;

const HELP = `
A game of another installation, players first:
  savepoint export players --tenant my-studio --game my-game --out players.ndjson.gz
  savepoint export events --tenant my-studio --game my-game --from 2020-01-01 --to 2027-01-01 --out events.ndjson.gz
  savepoint import players --tenant my-studio --game my-game --file players.ndjson.gz
  savepoint import events --tenant my-studio --game my-game --file events.ndjson.gz
Each event counts once: the same file twice, or parts of it in another file, change nothing. After an interruption of any kind
the same command goes on where it was. A line that cannot be imported is written to the file of rejects with its number and the reason,
and the others are imported. The import pauses after each thousand lines, so that live events come first; --no-pauses is for an
installation without players.`;

export function importCommands(): Command {
  const imports = new Command('import').description('take history in');
  withImport(imports.command('players'), 'players')
    .description('create the players and devices of a file that `savepoint export players` wrote')
    .action((options: ImportCommandOptions) => importFile('players', options));
  withImport(imports.command('events'), 'events')
    .description('apply the events of a file that `savepoint export events` wrote, at their original times')
    .action((options: ImportCommandOptions) => importFile('events', options));
  return imports;
}

function withImport(command: Command, kind: ImportKind): Command {
  return withGame(command)
    .requiredOption(
      '--file <file>',
      `NDJSON, a line for each of the ${kind}; compressed if the name ends in .gz`,
    )
    .option(
      '--rejects <file>',
      'where lines go that cannot be imported (default: the file with .rejects behind it)',
    )
    .option('--no-pauses', 'import without pauses for live events')
    .addHelpText('after', HELP);
}

const AFTERWARDS = 'What was imported stays. The same command goes on.';

async function importFile(kind: ImportKind, options: ImportCommandOptions): Promise<void> {
  const rejectsPath = options.rejects ?? `${options.file}.rejects`;
  const { state, progress } = await withMasterKeys(async ({ pool }, _, { keys }, signal) => {
    const hashes = await createErasureHashes(pool, async () => keys)();
    const findErased: FindErased = (userIds) => listErasedUsers(pool, hashes, userIds);
    return run(pool, kind, { ...options, rejects: rejectsPath }, { findErased, hashes }, signal);
  }, AFTERWARDS);
  if (state === 'busy') throw new StartupError('Another import into this game is running. Wait for its end.');
  if (state === 'interrupted') throw new Interrupted(`Interrupted. ${AFTERWARDS}`);
  const before = state === 'known' ? 'The file has been imported before: ' : '';
  say(`${before}${summary(kind, progress)}`);
  if (progress.rejected > 0 && state === 'done') say(`Rejected lines, with the reasons: ${rejectsPath}`);
}

type Erased = Readonly<{ findErased: FindErased; hashes: ErasureHashes }>;

async function run(
  pool: Pool,
  kind: ImportKind,
  { tenant, game, file, rejects: rejectsPath = '', pauses }: ImportCommandOptions,
  { findErased, hashes }: Erased,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { id: gameId } = await requireGame(pool, tenant, game);
  const actor = await commandActor(pool);
  const line = createProgressLine();
  let shown = 0;
  const options: ImportOptions = {
    gameId,
    path: file,
    rejectsPath,
    actor,
    rests: pauses,
    signal,
    onProgress: (progress) =>
      line.show(() => `${progressBar(progress.bytesRead, progress.totalBytes)} ${summary(kind, progress)}`),
    onRejected({ line: number, message }) {
      if (++shown <= SHOWN_REJECTS) tell(`line ${number}: ${printable(message)}`);
    },
  };
  try {
    return await (kind === 'events'
      ? runImport(pool, eventImporter(pool, gameId, actor.nowMs, findErased, hashes), options)
      : runImport(pool, playerImporter(gameId, actor.nowMs, findErased), options));
  } catch (error) {
    throw fileError(error, file) ?? error;
  } finally {
    line.end();
  }
}

function fileError(error: unknown, file: string): StartupError | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^(?:E[A-Z]+|Z_[A-Z_]+)$/.test(code)) return undefined;
  return /^(?:ENOENT|EACCES|EISDIR|Z_)/.test(code)
    ? new StartupError(`${file} cannot be read: ${message}. ${AFTERWARDS}`)
    : undefined;
}

function summary(kind: ImportKind, { imported, duplicates, rejected }: ImportProgress): string {
  const what = kind === 'events' ? 'lines' : 'players and devices';
  return `${grouped(imported)} ${what} imported, ${grouped(duplicates)} known already, ${grouped(rejected)} lines rejected`;
}
