import { SKUS, type SkuEntry } from '../../../decide/document/parts/catalogue.js';
import { type CsvCell, type CsvRow, readCsv } from '../../../platform/lib/csv-reader.js';
import { csvRow } from '../../../platform/lib/csv-writer.js';
import { MAX_ROW_ERRORS, type RowError } from '../../../platform/lib/row-errors.js';
import { type Column, columnOfPointer, columnsFor, MAX_COLUMNS, readColumn } from './catalogue-columns.js';
import { type CatalogueReading, repeatedSkus } from './catalogue-rows.js';
import { cellOf } from './csv-cells.js';
import { readSku } from './csv-sku.js';
import { withLeftOut } from './left-out-columns.js';

/** One row a SKU, in the order of the catalogue, under a header. */
export function catalogueToCsv(skus: readonly SkuEntry[]): string {
  const columns = columnsFor(skus);
  const rows = [
    columns.map(({ title }) => title),
    ...skus.map((sku) => columns.map((column) => cellOf(sku, column))),
  ];
  return rows.map(csvRow).join('');
}

/** The SKUs of a file, and everything that is wrong with the others. */
export function readCatalogueCsv(text: string): CatalogueReading {
  // A row more, for the header.
  const csv = readCsv(text, { rows: SKUS.limit + 1, columns: MAX_COLUMNS });
  if (!csv.ok) return unreadable([{ ...csv.fault, column: null }]);
  const [header, ...body] = csv.rows;
  if (header === undefined) return unreadable([{ row: null, column: null, message: 'The file is empty.' }]);
  const { columns, errors } = readHeader(header);
  if (errors.length > 0) return unreadable(errors);
  if (body.length > SKUS.limit) {
    const message = `A catalogue can have ${SKUS.limit} SKUs at most.`;
    return unreadable([{ row: null, column: null, message }]);
  }
  const readings = body.map((row) => readSku(row, columns, header.cells.length));
  const rows = readings.flatMap(({ row, sku }) => (sku === undefined ? [] : [{ row, sku }]));
  const wrong = [...readings.flatMap((reading) => reading.errors), ...repeatedSkus(rows)];
  const titles = new Set(columns.map(({ title }) => title));
  return {
    rows,
    errors: wrong.slice(0, MAX_ROW_ERRORS),
    columnOf: (pointer) => columnIn(titles, pointer),
    complete: (read, former) => withLeftOut(titles, read, former),
  };
}

function unreadable(errors: readonly RowError[]): CatalogueReading {
  return { rows: [], errors, columnOf: columnOfPointer, complete: (read) => read };
}

/** The column of a member. A price stands for the offer price as well where the file has no column for that. */
function columnIn(titles: ReadonlySet<string>, pointer: string): string {
  const column = columnOfPointer(pointer);
  return titles.has(column) ? column : column.replace(/^offerPrice:/, 'price:');
}

function readHeader({ row, cells }: CsvRow): { columns: Column[]; errors: RowError[] } {
  const columns: Column[] = [];
  const errors: RowError[] = [];
  const titles = new Set<string>();
  const meant = new Set<string>();
  for (const [index, title] of titlesOf(cells).entries()) {
    const column = readColumn(title);
    if (title === '') errors.push({ row, column: null, message: `Column ${index + 1} has no name.` });
    else if (column.kind === 'problem') errors.push({ row, column: title, message: column.message });
    else if (titles.has(title))
      errors.push({ row, column: title, message: 'There are two columns of this name.' });
    else columns.push(column);
    if (column.kind === 'problem' && column.meant !== undefined) meant.add(column.meant);
    titles.add(title);
  }
  // One mistake, one error: a misspelt column is not reported as missing as well.
  if (!titles.has('skuId') && !meant.has('skuId'))
    errors.push({ row, column: 'skuId', message: 'The first row must name this column, too.' });
  return { columns, errors };
}

/** Without the empty cells that spreadsheets write behind the last column. */
function titlesOf(cells: readonly CsvCell[]): string[] {
  const titles = cells.map(({ text }) => text.trim());
  return titles.slice(0, titles.findLastIndex((title) => title !== '') + 1);
}
