import { type CsvCell, type CsvRow, readCsv } from '../../platform/lib/csv-reader.js';
import { MAX_ROW_ERRORS, type RowError } from '../../platform/lib/row-errors.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import { FLAG_ID, MAX_REASON, readUntil, UNTIL_WRONG } from './override-limits.js';

/** One flag of one player, as a row of a file states it. `value` null: the rule decides again. */
export type StatedOverride = Readonly<{
  row: number;
  userId: string;
  flagId: string;
  value: boolean | null;
  reason: string;
  until: number | null;
}>;

export type OverrideReading = Readonly<{ rows: readonly StatedOverride[]; errors: readonly RowError[] }>;

export const OVERRIDE_COLUMNS = ['playerId', 'flagId', 'value', 'reason', 'until'] as const;
type ColumnName = (typeof OVERRIDE_COLUMNS)[number];

/** About as much as a request may send. */
export const MAX_OVERRIDE_ROWS = 20_000;
const MAX_COLUMNS = 20;

/** The rows of a CSV file, and everything that is wrong with it that can be told without looking at the players. */
export function readOverrideFile(text: string, nowMs: number): OverrideReading {
  const csv = readCsv(text, { rows: MAX_OVERRIDE_ROWS + 1, columns: MAX_COLUMNS });
  if (!csv.ok) return { rows: [], errors: [{ ...csv.fault, column: null }] };
  const [header, ...body] = csv.rows;
  if (header === undefined) return unreadable('The file is empty.');
  const columns = readHeader(header);
  if ('errors' in columns) return { rows: [], errors: columns.errors };
  if (body.length > MAX_OVERRIDE_ROWS)
    return unreadable(`A file can have ${MAX_OVERRIDE_ROWS} rows at most. Split it.`);
  const readings = body.map((row) => readRow(row, columns.places, nowMs));
  const rows = readings.flatMap((reading) => ('stated' in reading ? [reading.stated] : []));
  const errors = [
    ...readings.flatMap((reading) => ('errors' in reading ? reading.errors : [])),
    ...repeatedRows(rows),
  ];
  return { rows, errors: errors.slice(0, MAX_ROW_ERRORS) };
}

function unreadable(message: string): OverrideReading {
  return { rows: [], errors: [{ row: null, column: null, message }] };
}

type Places = ReadonlyMap<ColumnName, number>;

function readHeader({ row, cells }: CsvRow): { places: Places } | { errors: RowError[] } {
  const titles = cells.map(({ text }) => text.trim());
  const places = new Map<ColumnName, number>();
  const errors: RowError[] = [];
  for (const [place, title] of titles.entries()) {
    if (title === '') continue;
    const name = OVERRIDE_COLUMNS.find((each) => each === title);
    if (name === undefined)
      errors.push({ row, column: title, message: `The columns are ${OVERRIDE_COLUMNS.join(', ')}.` });
    else if (places.has(name))
      errors.push({ row, column: title, message: 'There are two columns of this name.' });
    else places.set(name, place);
  }
  for (const name of OVERRIDE_COLUMNS) {
    // Only the end is optional: an override without one stands until it is taken back.
    if (name !== 'until' && !places.has(name) && errors.length === 0)
      errors.push({ row, column: name, message: 'The first row must name this column, too.' });
  }
  return errors.length > 0 ? { errors } : { places };
}

function readRow(
  { row, cells }: CsvRow,
  places: Places,
  nowMs: number,
): { stated: StatedOverride } | { errors: RowError[] } {
  const errors: RowError[] = [];
  const cell = (name: ColumnName): string => textOf(cells, places.get(name));
  const fault = (column: ColumnName, message: string) => errors.push({ row, column, message });
  const userId = cell('playerId').toLowerCase();
  if (!UUID_ANY_CASE.test(userId)) fault('playerId', 'This must be the `userId` of a player.');
  const flagId = cell('flagId');
  if (!FLAG_ID.test(flagId)) fault('flagId', 'This cannot be the id of a flag.');
  const value = VALUES.get(cell('value').toLowerCase());
  if (value === undefined) fault('value', 'Write true or false, or clear to let the rule decide again.');
  const reason = cell('reason');
  if (value !== null && reason === '')
    fault('reason', 'Say why: whoever looks at the player later will ask.');
  if (reason.includes('\0')) fault('reason', 'A reason cannot hold the character NUL.');
  if (reason.length > MAX_REASON) fault('reason', `A reason has ${MAX_REASON} characters at most.`);
  const untilText = cell('until');
  const until = untilText === '' ? null : readUntil(untilText, nowMs);
  if (until === undefined) fault('until', `${UNTIL_WRONG}, or empty.`);
  if (errors.length > 0 || value === undefined || until === undefined) return { errors };
  return { stated: { row, userId, flagId, value, reason, until } };
}

const VALUES = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['clear', null],
]);

function textOf(cells: readonly CsvCell[], place: number | undefined): string {
  return place === undefined ? '' : (cells[place]?.text.trim() ?? '');
}

/** The second of two rows for one flag of one player would silently win. */
function repeatedRows(rows: readonly StatedOverride[]): RowError[] {
  const first = new Map<string, number>();
  const errors: RowError[] = [];
  for (const { row, userId, flagId } of rows) {
    const known = first.get(`${userId} ${flagId}`);
    if (known === undefined) first.set(`${userId} ${flagId}`, row);
    else
      errors.push({ row, column: null, message: `This flag of this player stands in row ${known} already.` });
  }
  return errors;
}
