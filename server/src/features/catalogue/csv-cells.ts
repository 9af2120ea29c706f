import type { SkuEntry } from '../personalisation/document.js';
import type { Column } from './catalogue-columns.js';

/**
 * Spreadsheets take a cell that begins with one of these for a formula, and a formula can send what is in the sheet
 * elsewhere: a text that somebody else wrote must not begin so. As is usual, an apostrophe is put before it. Unlike usual
 * it is taken away again by the reader, and texts that begin with apostrophes and then one of these get one more, so what
 * was written comes back to the letter. Prices, moments and JSON cannot begin so.
 */
const LIKE_A_FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const DISARMED = /^'+[=+\-@\t\r\n＝＋－＠]/;

function disarm(text: string): string {
  return LIKE_A_FORMULA.test(text) ? `'${text}` : text;
}

export function rearm(text: string): string {
  return DISARMED.test(text) ? text.slice(1) : text;
}

/** What a SKU has in a column; null for nothing. */
export function cellOf(sku: SkuEntry, column: Column): string | null {
  switch (column.kind) {
    case 'text': {
      const { locales } = sku[column.name];
      const text = Object.hasOwn(locales, column.locale) ? locales[column.locale] : undefined;
      return text === undefined ? null : disarm(text);
    }
    case 'price': {
      const prices = Object.hasOwn(sku.prices, column.currency) ? sku.prices[column.currency] : undefined;
      return prices?.[column.name === 'price' ? 'actualPrice' : column.name] ?? null;
    }
    case 'fixed':
      return fixedCell(sku, column.name);
  }
}

function fixedCell(sku: SkuEntry, name: Extract<Column, { kind: 'fixed' }>['name']): string | null {
  switch (name) {
    case 'skuId':
      return disarm(sku.skuId);
    case 'active':
      return String(sku.active);
    case 'hidden':
      return sku.hidden === undefined ? null : String(sku.hidden);
    case 'from':
    case 'until':
    case 'defaultCurrency':
      return sku[name];
    case 'name':
    case 'description':
      return sku[name].default === '' ? null : disarm(sku[name].default);
    case 'assets':
      return sku.assets.length === 0 ? null : JSON.stringify(sku.assets);
  }
}
