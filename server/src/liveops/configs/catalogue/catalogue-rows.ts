import type { SkuEntry } from '../../../decide/document/parts/catalogue.js';
import type { RowError } from '../../../platform/lib/row-errors.js';

/** A SKU of a file and where it stands there: rows of a spreadsheet, or places in a list, counted from 1. */
export type CatalogueRow = Readonly<{
  row: number;
  /** As it was read. The validation of the document decides whether it is a SKU. */
  sku: SkuEntry;
}>;

/** The rows that can be read, and all that is wrong with the others. */
export type CatalogueReading = Readonly<{
  rows: readonly CatalogueRow[];
  errors: readonly RowError[];
  /** The column that a member of a SKU stands in, by its JSON pointer, such as `/prices/USD/offerPrice`. */
  columnOf: (pointer: string) => string;
  /** The SKU of a row, completed by the SKU of the same id as it is so far. */
  complete: (read: SkuEntry, former: SkuEntry) => SkuEntry;
}>;

/** The second of two rows for one SKU would silently win. */
export function repeatedSkus(rows: readonly CatalogueRow[]): RowError[] {
  const first = new Map<unknown, number>();
  const errors: RowError[] = [];
  for (const { row, sku } of rows) {
    const known = first.get(sku?.skuId);
    if (known === undefined) first.set(sku?.skuId, row);
    else if (typeof sku?.skuId === 'string') {
      errors.push({ row, column: 'skuId', message: `"${sku.skuId}" stands in row ${known} already.` });
    }
  }
  return errors;
}
