/** CSV as RFC 4180 has it. Every cell says whether it was quoted: only so can an empty text be told from no text. */

export type CsvCell = Readonly<{ text: string; isQuoted: boolean }>;
/** `row` counts from 1, as spreadsheets do: lines inside of quoted cells do not count. */
export type CsvRow = Readonly<{ row: number; cells: readonly CsvCell[] }>;
export type CsvFault = Readonly<{ row: number; message: string }>;

export type CsvReading =
  | Readonly<{ ok: true; rows: readonly CsvRow[] }>
  | Readonly<{ ok: false; fault: CsvFault }>;

export type CsvLimits = Readonly<{ rows: number; columns: number }>;

/**
 * Empty rows are left out. Behind a fault nothing is sure any more, so reading ends there; and it ends with the first row too
 * many, which is given, too, so that whoever asked can tell.
 */
export function readCsv(text: string, limits: CsvLimits): CsvReading {
  const reader = new Reader(text.startsWith('\ufeff') ? text.slice(1) : text);
  const rows: CsvRow[] = [];
  for (let row = 1; !reader.isAtEnd && rows.length <= limits.rows; row++) {
    if (reader.skipsEmptyRow()) continue;
    const cells = reader.row(limits.columns);
    if (typeof cells === 'string') return { ok: false, fault: { row, message: cells } };
    rows.push({ row, cells });
  }
  return { ok: true, rows };
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
      if (cells.length === maxCells) return `There can be ${maxCells} columns at the most.`;
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

/** Null is no text, which is not the same as an empty one. */
export function writeCsv(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('');
}

/** White space at the ends is kept by RFC 4180, but not by everybody unless it is quoted. */
const NEEDS_QUOTES = /^$|[",\r\n]|^\s|\s$/;

function writeCell(text: string | null): string {
  if (text === null) return '';
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
