import type { AssetEntry } from '../../../decide/document/member-schemas.js';
import type { LocalisedText, SkuEntry, SkuPriceEntry } from '../../../decide/document/parts/catalogue.js';
import { isPrice, priceProblem } from '../../../decide/document/price-text.js';
import type { CsvCell, CsvRow } from '../../../platform/lib/csv-reader.js';
import type { RowError } from '../../../platform/lib/row-errors.js';
import { unescapeFormula } from '../../../platform/lib/spreadsheet-formulas.js';
import type { Column } from './catalogue-columns.js';

export type SkuReading = Readonly<{ row: number; sku: SkuEntry | undefined; errors: readonly RowError[] }>;

/**
 * The SKU that a row states; `width` is the number of cells in the first row of the file. A column that the file leaves out has the
 * value of a new SKU. Only cells that cannot be read are reported here; the validation of the document checks the rest.
 */
export function readSku({ row, cells }: CsvRow, columns: readonly Column[], width: number): SkuReading {
  // Spreadsheets pad all rows alike. A longer one has a comma too many, even if its last cell is empty: a price of 9,05 would
  // otherwise be 9, with 5 in the next column.
  const isTooLong =
    cells.length > width || cells.slice(columns.length).some(({ text }) => text.trim() !== '');
  if (isTooLong || cells.length < columns.length) {
    const hint = isTooLong ? ' A cell with a comma in it must be quoted; decimals follow a point.' : '';
    const message = `The row has ${cells.length} cells, the first row ${columns.length}.${hint}`;
    return { row, sku: undefined, errors: [{ row, column: null, message }] };
  }
  const builder = new SkuBuilder(row);
  for (const [index, column] of columns.entries()) builder.add(column, cells[index] ?? NO_CELL);
  const { errors } = builder;
  const sku = builder.build();
  return { row, sku: errors.length === 0 ? sku : undefined, errors };
}

const NO_CELL: CsvCell = { text: '', isQuoted: false };

type Text = { default: string; locales: Record<string, string> };

class SkuBuilder {
  readonly errors: RowError[] = [];
  readonly #row: number;
  readonly #fixed = new Map<string, string>();
  readonly #texts: Record<'name' | 'description', Text> = {
    name: { default: '', locales: {} },
    description: { default: '', locales: {} },
  };
  readonly #prices = new Map<string, Partial<Record<'price' | 'offerPrice' | 'floorPrice', string>>>();

  constructor(row: number) {
    this.#row = row;
  }

  add(column: Column, { text, isQuoted }: CsvCell): void {
    if (text.includes('\0')) this.#refuse(column.title, 'A text cannot hold the character U+0000.');
    if (column.kind === 'fixed') this.#fixed.set(column.name, text);
    // An empty cell is no translation, a quoted empty one is an empty translation.
    else if (text === '' && !isQuoted) return;
    else if (column.kind === 'text') this.#texts[column.name].locales[column.locale] = unescapeFormula(text);
    else if (text !== '') {
      if (!isPrice(text)) this.#refuse(column.title, priceProblem(text));
      this.#prices.set(column.currency, { ...this.#prices.get(column.currency), [column.name]: text });
    }
  }

  build(): SkuEntry {
    const { name, description } = this.#texts;
    name.default = unescapeFormula(this.#cell('name'));
    description.default = unescapeFormula(this.#cell('description'));
    const hidden = this.#cell('hidden');
    const prices = this.#readPrices();
    return {
      skuId: unescapeFormula(this.#cell('skuId')),
      name: name satisfies LocalisedText,
      description,
      prices,
      defaultCurrency: this.#fixed.get('defaultCurrency') ?? Object.keys(prices)[0] ?? '',
      assets: this.#readAssets(),
      active: !this.#fixed.has('active') || this.#readBoolean('active'),
      ...(hidden === '' ? {} : { hidden: this.#readBoolean('hidden') }),
      from: this.#cell('from') || null,
      until: this.#cell('until') || null,
    };
  }

  #cell(name: string): string {
    return this.#fixed.get(name) ?? '';
  }

  #refuse(column: string, message: string): void {
    this.errors.push({ row: this.#row, column, message });
  }

  /** Spreadsheets write TRUE and FALSE in capitals. */
  #readBoolean(column: 'active' | 'hidden'): boolean {
    const text = this.#cell(column).toLowerCase();
    if (text !== 'true' && text !== 'false') this.#refuse(column, 'Write true or false.');
    return text === 'true';
  }

  #readPrices(): SkuEntry['prices'] {
    const prices: Record<string, SkuPriceEntry> = {};
    for (const [currency, { price, offerPrice, floorPrice }] of this.#prices) {
      if (price === undefined) {
        this.#refuse(`price:${currency}`, `There are other prices in ${currency}, but not this one.`);
        continue;
      }
      // A SKU sold at the list price needs no offer price of its own.
      prices[currency] = {
        actualPrice: price,
        offerPrice: offerPrice ?? price,
        ...(floorPrice === undefined ? {} : { floorPrice }),
      };
    }
    return prices;
  }

  #readAssets(): AssetEntry[] {
    const text = this.#cell('assets');
    if (text === '') return [];
    try {
      const value: unknown = JSON.parse(text);
      // Whether they are assets is for the validation of the document to say.
      if (Array.isArray(value)) return value as AssetEntry[];
    } catch {
      // Said below.
    }
    this.#refuse(
      'assets',
      'Write a list as JSON, as in [{"assetId":"icon","type":"image/png","url":"https://…"}].',
    );
    return [];
  }
}
