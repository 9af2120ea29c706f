import type { SkuEntry } from '../../../decide/document/parts/catalogue.js';
import { escapeFormula } from '../../../platform/lib/spreadsheet-formulas.js';
import type { Column } from './catalogue-columns.js';

/** What a SKU has in a column; null for nothing. Prices, moments and JSON cannot be taken for formulas. */
export function cellOf(sku: SkuEntry, column: Column): string | null {
  switch (column.kind) {
    case 'text': {
      const { locales } = sku[column.name];
      const text = Object.hasOwn(locales, column.locale) ? locales[column.locale] : undefined;
      return text === undefined ? null : escapeFormula(text);
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
      return escapeFormula(sku.skuId);
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
      return sku[name].default === '' ? null : escapeFormula(sku[name].default);
    case 'assets':
      return sku.assets.length === 0 ? null : JSON.stringify(sku.assets);
  }
}
