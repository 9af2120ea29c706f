import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PurchaseCell } from '../../../src/decide/predict/beta-geometric-nbd.js';
import type { ActivityCount } from '../../../src/decide/predict/bg-bb.js';
import type { SpendingCell } from '../../../src/decide/predict/gamma-gamma.js';
import { PUBLISHED_DATA } from '../../support/published-data-folder.js';

/** The data sets that the models were published with. */

const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;

export type CdnowPurchase = Readonly<{
  id: string;
  /** Days since 1970. */
  day: number;
  /** In dollars, with two decimals. */
  price: string;
}>;

/** All purchases of CDNOW's 2,357 customers until the end of a day. */
export function readCdnowPurchases(until: string): CdnowPurchase[] {
  const end = Date.parse(until) / DAY_MS;
  return readTable('CDNOW_sample.txt', /\s+/)
    .map(([, id = '', date = '', , price = '']) => ({
      id,
      day: Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`) / DAY_MS,
      price,
    }))
    .filter(({ day }) => day <= end);
}

/** The same as cells, in weeks. */
export function readCdnow(until: string): PurchaseCell[] {
  const end = Date.parse(until) / DAY_MS;
  const daysById = new Map<string, Set<number>>();
  for (const { id, day } of readCdnowPurchases(until)) {
    const days = daysById.get(id) ?? new Set();
    daysById.set(id, days.add(day));
  }
  const cells = new Map<string, PurchaseCell>();
  for (const days of daysById.values()) {
    const first = Math.min(...days);
    const history = {
      x: days.size - 1,
      tx: (Math.max(...days) - first) / DAYS_PER_WEEK,
      t: (end - first) / DAYS_PER_WEEK,
    };
    const key = JSON.stringify(history);
    cells.set(key, { ...history, players: (cells.get(key)?.players ?? 0) + 1 });
  }
  return [...cells.values()];
}

export function readCdnowSpending(): SpendingCell[] {
  return readTable('cdnow_customers_summary_with_transactions.csv', ',')
    .slice(1)
    .map((row) => row.map(Number))
    .map(([, x = 0, , , meanValue = 0]) => ({ x, meanValue, players: 1 }));
}

export function readDonations(): ActivityCount[] {
  return readTable('donations.csv', ',')
    .slice(1)
    .map((row) => row.map(Number))
    .map(([x = 0, tx = 0, n = 0, players = 0]) => ({ x, tx, n, players }));
}

function readTable(name: string, separator: string | RegExp): string[][] {
  const text = readFileSync(join(PUBLISHED_DATA ?? '', name), 'utf8');
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim().split(separator));
}
