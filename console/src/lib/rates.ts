import type { Schemas } from '../api/client.js';

export type Rate = Schemas['ExchangeRate'];
/** A row of the sheet. Its key stays while it is edited. */
export type RateRow = Rate & { key: number };

let lastKey = 0;

export function rowsOf(rates: readonly Rate[]): RateRow[] {
  return rates.map((rate) => ({ ...rate, key: ++lastKey }));
}

/** An empty row for a currency that has none yet, or for another day. */
export function newRow(today: string): RateRow {
  return { currency: '', from: today, rate: '', key: ++lastKey };
}

/** What is sent: rows that were left empty are no rates. */
export function ratesIn(rows: readonly RateRow[]): Rate[] {
  return rows
    .filter(({ currency, rate }) => currency !== '' || rate !== '')
    .map(({ currency, from, rate }) => ({ currency, from, rate }));
}

/** Whether the sheet differs from what is in force. */
export function isChanged(rows: readonly RateRow[], rates: readonly Rate[]): boolean {
  return JSON.stringify(ratesIn(rows)) !== JSON.stringify(ratesIn(rowsOf(rates)));
}
