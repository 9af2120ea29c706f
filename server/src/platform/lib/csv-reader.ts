/** CSV as RFC 4180 has it. Every cell says whether it was quoted: only so can an empty text be told from no text. */

export type CsvCell = Readonly<{ text: string; isQuoted: boolean }>;
/** `row` counts from 1, as spreadsheets do: lines inside of quoted cells do not count. */
export type CsvRow = Readonly<{ row: number; cells: readonly CsvCell[] }>;
/** `row` is null where the fault is one of the whole file. */
export type CsvFault = Readonly<{ row: number | null; message: string }>;

export type CsvReading =
  | Readonly<{ ok: true; rows: readonly CsvRow[] }>
  | Readonly<{ ok: false; fault: CsvFault }>;

export type CsvLimits = Readonly<{ rows: number; columns: number }>;

/**
 * Skips blank rows, also those that spreadsheets write as nothing but commas. Reading ends at the first fault, since nothing
 * behind it is certain. It also ends after one row too many, which is returned, so that the caller can tell.
 */
export function readCsv(text: string, limits: CsvLimits): CsvReading {
  const { body, firstRow, announced } = withoutPreamble(text);
  const separator = announced ?? separatorOf(body);
  const other = OTHER_SEPARATORS.get(separator);
  if (other !== undefined) return { ok: false, fault: { row: null, message: `${other} ${USE_COMMAS}` } };
  const reader = new Reader(body);
  const rows: CsvRow[] = [];
  for (let row = firstRow; !reader.isAtEnd && rows.length <= limits.rows; row++) {
    if (reader.skipsEmptyRow()) continue;
    const cells = reader.row(limits.columns);
    if (typeof cells === 'string') return { ok: false, fault: { row, message: cells } };
    if (cells.some((cell) => cell.text.trim() !== '')) rows.push({ row, cells });
  }
  return { ok: true, rows };
}

const OTHER_SEPARATORS = new Map([
  [';', 'This file is separated by semicolons.'],
  ['\t', 'This file is separated by tabs.'],
  ['|', 'This file is separated by vertical bars.'],
]);
const USE_COMMAS =
  "Separate its cells by commas: Google Sheets does so by itself, LibreOffice asks when it saves, and Excel takes the list separator of the system's region settings.";

/** Excel's first line `sep=,`. Spreadsheets that know it do not show it as a row; others do, and write it as one. */
const SEPARATOR_LINE = /^"?sep=([^\r\n"]?)"?(,*)(?:\r\n|\r|\n|$)/i;

/** The file without byte order mark and separator line. */
function withoutPreamble(text: string): { body: string; firstRow: number; announced: string | undefined } {
  const start = text.startsWith('\ufeff') ? text.slice(1) : text;
  const [line, announced, padding = ''] = SEPARATOR_LINE.exec(start) ?? [];
  if (line === undefined) return { body: start, firstRow: 1, announced: undefined };
  return {
    body: start.slice(line.length),
    firstRow: padding === '' ? 1 : 2,
    announced: announced || undefined,
  };
}

/** What stands most often in the first line, outside of quotes: a comma, unless it is something else. */
function separatorOf(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const bare = line.replace(/"(?:[^"]|"")*"/g, '');
  const count = (separator: string) => bare.split(separator).length;
  return [...OTHER_SEPARATORS.keys()].reduce((a, b) => (count(b) > count(a) ? b : a), ',');
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skipsEmptyRow(): boolean {
    const next = this.#text[this.#at];
    if (next !== '\r' && next !== '\n') return false;
    this.#at += next === '\r' && this.#text[this.#at + 1] === '\n' ? 2 : 1;
    return true;
  }

  /** The cells up to the end of the row, or what is wrong with it. */
  row(maxCells: number): CsvCell[] | string {
    const cells: CsvCell[] = [];
    for (;;) {
      if (cells.length === maxCells) return `There can be ${maxCells} columns at most.`;
      const cell = this.#text[this.#at] === '"' ? this.#quoted() : this.#bare();
      if (typeof cell === 'string') return cell;
      cells.push(cell);
      const next = this.#text[this.#at++];
      if (next === ',') continue;
      if (next === '\r' && this.#text[this.#at] === '\n') this.#at++;
      if (next === undefined || next === '\r' || next === '\n') return cells;
      return 'After the quote that ends a cell, only a comma or the end of the row can follow.';
    }
  }

  #bare(): CsvCell | string {
    BARE.lastIndex = this.#at;
    const text = BARE.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    if (text.includes('"')) return 'A cell with a quote in it must be quoted, and the quote written twice.';
    return { text, isQuoted: false };
  }

  #quoted(): CsvCell | string {
    const start = this.#at + 1;
    let close = this.#text.indexOf('"', start);
    while (close !== -1 && this.#text[close + 1] === '"') close = this.#text.indexOf('"', close + 2);
    if (close === -1) return 'A quoted cell does not end.';
    this.#at = close + 1;
    return { text: this.#text.slice(start, close).replaceAll('""', '"'), isQuoted: true };
  }
}

const BARE = /[^,\r\n]*/y;
