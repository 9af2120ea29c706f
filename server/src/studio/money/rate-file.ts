import { type CsvRow, readCsv } from '../../platform/lib/csv-reader.js';
import { csvRow } from '../../platform/lib/csv-writer.js';
import type { RowError } from '../../platform/lib/row-errors.js';
import type { ExchangeRate } from './exchange-rates.js';
import { MAX_RATES, type StatedRate, TOO_MANY } from './rate-checks.js';

export type RateReading = Readonly<{ rates: readonly StatedRate[]; errors: readonly RowError[] }>;

const COLUMNS = ['currency', 'from', 'rate'] as const;
const MAX_COLUMNS = 20;

export function ratesToCsv(rates: readonly ExchangeRate[]): string {
  return [csvRow(COLUMNS), ...rates.map((rate) => csvRow(COLUMNS.map((name) => rate[name])))].join('');
}

/** The rows of a file. What they say is checked later, together with the reporting currency. */
export function readRateFile(text: string): RateReading {
  const csv = readCsv(text, { rows: MAX_RATES + 1, columns: MAX_COLUMNS });
  if (!csv.ok) return { rates: [], errors: [{ ...csv.fault, column: null }] };
  const [header, ...body] = csv.rows;
  if (header === undefined) return unreadable('The file is empty.');
  const titles = header.cells.map((cell) => cell.text.trim());
  const missing = COLUMNS.filter((name) => titles.filter((title) => title === name).length !== 1);
  if (missing.length > 0)
    return unreadable(`The first row must name the columns ${COLUMNS.join(', ')}, each once.`, header.row);
  if (body.length > MAX_RATES) return { rates: [], errors: [TOO_MANY] };
  return { rates: body.map((row) => statedRate(row, titles)), errors: [] };
}

function unreadable(message: string, row: number | null = null): RateReading {
  return { rates: [], errors: [{ row, column: null, message }] };
}

function statedRate({ row, cells }: CsvRow, titles: readonly string[]): StatedRate {
  const cell = (name: (typeof COLUMNS)[number]) => cells[titles.indexOf(name)]?.text.trim() ?? '';
  return { row, currency: cell('currency').toUpperCase(), from: cell('from'), rate: cell('rate') };
}
