import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { clipText } from '../../platform/lib/clip-text.js';
import { csvRow } from '../../platform/lib/csv-writer.js';
import { escapeFormulas } from '../../platform/lib/spreadsheet-formulas.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable, printableLines } from '../../studio/cli/printable.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, tell, withDatabase } from '../../studio/cli/terminal.js';
import { wholeNumber } from '../../studio/cli/whole-number.js';
import { ASK_LIMITS, askFiles } from '../event-files/asking/ask-files.js';
import type { Answer, AnswerValue } from '../event-files/asking/question.js';
import { requireEventFiles } from './event-files-place.js';

const FORMATS = ['table', 'csv', 'ndjson'] as const;
const MAX_ROWS = 100_000;
const MAX_MEMORY_MB = 64 * 1024;
const MAX_SECONDS = 3_600;
/** A megabyte of text per thousand rows is a lot. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A cell of a table; the other formats have all of it. */
const MAX_CELL = 60;

type SqlOptions = {
  tenant: string;
  game: string;
  format: (typeof FORMATS)[number];
  rows: string;
  memoryMb: string;
  seconds: string;
};

const HELP = `
The table "events" holds every event of the closed days of the game, once: docs/analysts.md lists its columns.
  savepoint sql --tenant demo-studio --game demo-game "select event_type, count(*) from events group by all order by 2 desc"
With - for the question it is read from standard input.`;

export function sqlCommand(): Command {
  return withGame(new Command('sql'))
    .description('ask the files of closed days with DuckDB, off the database')
    .argument('<question>', 'one statement that reads, such as: select count(*) from events')
    .addOption(new Option('--format <format>', 'of the answer').choices(FORMATS).default('table'))
    .option('--rows <number>', 'at most so many rows', String(ASK_LIMITS.maxRows))
    .option('--memory-mb <number>', 'at most so much memory', String(ASK_LIMITS.memoryMb))
    .option('--seconds <number>', 'at most so long', String(ASK_LIMITS.maxMs / 1_000))
    .addHelpText('after', HELP)
    .action(run);
}

async function run(question: string, { tenant, game, format, ...given }: SqlOptions): Promise<void> {
  const limits = {
    ...ASK_LIMITS,
    maxBytes: MAX_BYTES,
    maxRows: wholeNumber('--rows', given.rows, 1, MAX_ROWS),
    memoryMb: wholeNumber('--memory-mb', given.memoryMb, 64, MAX_MEMORY_MB),
    maxMs: wholeNumber('--seconds', given.seconds, 1, MAX_SECONDS) * 1_000,
  };
  const sql = question === '-' ? await text(process.stdin) : question;
  const outcome = await withDatabase(async ({ pool }, settings, signal) => {
    const eventFiles = requireEventFiles(settings);
    const { id: gameId } = await requireGame(pool, tenant, game);
    return askFiles(pool, eventFiles, { gameId, tenant, game }, sql, { limits, signal, now: Date.now });
  }, 'Nothing was changed.');
  // DuckDB repeats what players sent, such as a text that is no number.
  if (outcome.outcome !== 'answered') throw new StartupError(printableLines(outcome.message));
  for (const line of LINES[format](outcome.answer)) say(line);
  if (outcome.answer.isCut) tell(`There are more rows. Ask for more with --rows, up to ${MAX_ROWS}.`);
}

const LINES: Record<SqlOptions['format'], (answer: Answer) => string[]> = {
  table({ columns, rows }) {
    const cells = rows.map((row) => row.map((value) => shorten(textOf(value) ?? '–')));
    return tableLines([columns.map(({ name }) => shorten(name)), ...cells], (column) =>
      IS_NUMBER.test(columns[column]?.type ?? ''),
    );
  },
  csv: ({ columns, rows }) => [
    csvRow(columns.map(({ name }) => name)).trimEnd(),
    ...rows.map((row) => csvRow(row.map((value, at) => csvCell(value, columns[at]?.type))).trimEnd()),
  ],
  ndjson: ({ columns, rows }) =>
    rows.map((row) => JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))),
};

const IS_NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/;

function textOf(value: AnswerValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Texts are the players'. */
function csvCell(value: AnswerValue | undefined, type: string | undefined): string | null {
  const cell = textOf(value);
  return cell === null || IS_NUMBER.test(type ?? '') ? cell : escapeFormulas(cell);
}

function shorten(cell: string): string {
  return clipText(printable(clipText(cell, MAX_CELL)), MAX_CELL);
}
