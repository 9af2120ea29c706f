import type { RowError } from '../../platform/lib/row-errors.js';
import { printable } from './printable.js';

/** What is wrong with a row of a file, as a line of a list. */
export function rowErrorLine({ row, column, message }: RowError): string {
  const place = [row === null ? '' : `row ${row}`, column === null ? '' : printable(column)].filter(Boolean);
  return `  - ${place.length === 0 ? '' : `${place.join(', ')}: `}${printable(message)}`;
}
