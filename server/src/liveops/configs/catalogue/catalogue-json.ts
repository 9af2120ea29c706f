import { SKUS, type SkuEntry } from '../../../decide/document/parts/catalogue.js';
import type { RowError } from '../../../platform/lib/row-errors.js';
import { type CatalogueReading, repeatedSkus } from './catalogue-rows.js';

/** The catalogue as it stands in the document: a list of SKUs. */
export function catalogueToJson(skus: readonly SkuEntry[]): string {
  return `${JSON.stringify(skus, null, 2)}\n`;
}

export function readCatalogueJson(text: string): CatalogueReading {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    return unreadable(`The file is not JSON: ${(error as Error).message}.`);
  }
  return readCatalogueValue(value);
}

/** The same for what has been parsed already. */
export function readCatalogueValue(value: unknown): CatalogueReading {
  if (!Array.isArray(value))
    return unreadable('The file must be a list of SKUs, as in [{"skuId": "gems", …}].');
  if (value.length > SKUS.limit) {
    return unreadable(`A catalogue can have ${SKUS.limit} SKUs at most.`);
  }
  const rows = value.map((sku: SkuEntry, index) => ({ row: index + 1, sku }));
  return { rows, errors: repeatedSkus(rows), columnOf, complete };
}

function unreadable(message: string): CatalogueReading {
  const error: RowError = { row: null, column: null, message };
  return { rows: [], errors: [error], columnOf, complete };
}

/** `prices/USD/offerPrice` */
function columnOf(pointer: string): string {
  return pointer.replace(/^\//, '');
}

/** A SKU is stated as a whole. */
function complete(read: SkuEntry): SkuEntry {
  return read;
}
