/** A row of a CSV file as RFC 4180 has it. Null is no text, which is not the same as an empty one. */
export function csvRow(cells: readonly (string | null)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** RFC 4180 keeps white space at the ends of a cell, but many readers keep it only in quotes. */
const NEEDS_QUOTES = /^$|[",\r\n]|^\s|\s$/;

function writeCell(text: string | null): string {
  if (text === null) return '';
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function numberCell(value: number | null): string | null {
  return value === null ? null : String(value);
}
