import { DOCUMENT_LIMITS } from '../../../decide/document/document-limits.js';
import { currencyProblem, localeProblem, PATTERNS } from '../../../decide/document/document-patterns.js';
import type { SkuEntry } from '../../../decide/document/parts/catalogue.js';
import { currencyDecimals } from '../../../platform/lib/currencies.js';
import { didYouMean, nearestName } from '../../../platform/lib/nearest-name.js';

/** Columns of which there is one, in this order when we write a file. A file that we read must have skuId. */
export const FIXED_COLUMNS = [
  'skuId',
  'active',
  'hidden',
  'from',
  'until',
  'defaultCurrency',
  'name',
  'description',
  'assets',
] as const;
export type FixedColumn = (typeof FIXED_COLUMNS)[number];

/** Columns of which there is one for each locale or currency: `name:de`, `floorPrice:USD`. */
const TEXTS = ['name', 'description'] as const;
const PRICES = ['price', 'offerPrice', 'floorPrice'] as const;

export type Column =
  | Readonly<{ kind: 'fixed'; title: string; name: FixedColumn }>
  | Readonly<{ kind: 'text'; title: string; name: (typeof TEXTS)[number]; locale: string }>
  | Readonly<{ kind: 'price'; title: string; name: (typeof PRICES)[number]; currency: string }>;

const LOCALE = new RegExp(PATTERNS.locale);

/** `meant`: the column that was probably meant. */
export type ColumnProblem = Readonly<{ kind: 'problem'; message: string; meant?: string }>;

/** What a header cell stands for, or what is wrong with it. */
export function readColumn(title: string): Column | ColumnProblem {
  const fixed = FIXED_COLUMNS.find((name) => name === title);
  if (fixed !== undefined) return { kind: 'fixed', title, name: fixed };
  const [, prefix, rest = ''] = /^([^:]*):(.+)$/s.exec(title) ?? [];
  const text = TEXTS.find((name) => name === prefix);
  if (text !== undefined) {
    if (!LOCALE.test(rest)) return problem(localeProblem(rest));
    return { kind: 'text', title, name: text, locale: rest };
  }
  const price = PRICES.find((name) => name === prefix);
  if (price !== undefined) {
    if (currencyDecimals(rest) === undefined) return problem(currencyProblem(rest));
    return { kind: 'price', title, name: price, currency: rest };
  }
  const nearest = nearestName(title, [...FIXED_COLUMNS, ...withEnding(title)]);
  if (nearest !== undefined) return { ...problem(`${UNKNOWN}${didYouMean(nearest)}`), meant: nearest };
  return problem(`${UNKNOWN} There are ${[...FIXED_COLUMNS, ...OPEN_COLUMNS].join(', ')}.`);
}

const UNKNOWN = 'There is no such column.';

function problem(message: string): ColumnProblem {
  return { kind: 'problem', message };
}

/** Names of columns that end as this one does: `prize:USD` may be `price:USD`, and so may `price USD`. */
function withEnding(title: string): string[] {
  const [ending = ''] = /[A-Za-z]+$/.exec(title) ?? [];
  return [...TEXTS, ...PRICES].map((name) => `${name}:${ending}`);
}

const OPEN_COLUMNS = [
  ...TEXTS.map((name) => `${name}:<locale>`),
  ...PRICES.map((name) => `${name}:<currency>`),
];

/** More than a catalogue could use: `name` and `description` per locale, three prices per currency. */
export const MAX_COLUMNS =
  FIXED_COLUMNS.length + 2 * DOCUMENT_LIMITS.locales + 3 * DOCUMENT_LIMITS.currencies;

/** The columns that a catalogue needs. */
export function columnsFor(skus: readonly SkuEntry[]): Column[] {
  const columns: Column[] = FIXED_COLUMNS.map((name) => ({ kind: 'fixed', title: name, name }));
  for (const name of TEXTS) {
    const locales = new Set(skus.flatMap((sku) => Object.keys(sku[name].locales)));
    for (const locale of locales) columns.push({ kind: 'text', title: `${name}:${locale}`, name, locale });
  }
  for (const currency of new Set(skus.flatMap(({ prices }) => Object.keys(prices)))) {
    for (const name of PRICES) {
      const isUsed =
        name !== 'floorPrice' || skus.some(({ prices }) => prices[currency]?.floorPrice !== undefined);
      if (isUsed) columns.push({ kind: 'price', title: `${name}:${currency}`, name, currency });
    }
  }
  return columns;
}

/** The column in which a member of a SKU stands. */
export function columnOfPointer(pointer: string): string {
  const [, member = '', second = '', third = ''] = pointer.split('/');
  if (member === 'prices' && second !== '') {
    return `${third === 'actualPrice' || third === '' ? 'price' : third}:${second}`;
  }
  if ((member === 'name' || member === 'description') && second === 'locales' && third !== '') {
    return `${member}:${third}`;
  }
  return member;
}
