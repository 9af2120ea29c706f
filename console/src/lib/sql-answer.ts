import type { DataOf } from '../api/client.js';

export type SqlAnswer = DataOf<'askEventFiles'>;

/** Questions to begin with. */
export const SQL_EXAMPLES = [
  {
    name: 'Events and players by day',
    sql: `select counted_at::date as day, count(*) as events, count(distinct player_key) as players
from events
group by all
order by day desc`,
  },
  {
    name: 'Types of events',
    sql: `select event_type, count(*) as events, count(distinct player_key) as players
from events
group by all
order by events desc`,
  },
  {
    name: 'Revenue by country and currency',
    sql: `select country, currency, count(*) as purchases, sum(price) as revenue
from events
where event_type = 'Purchase'
group by all
order by revenue desc`,
  },
  {
    name: 'A member of the payload',
    sql: `select payload ->> 'level' as level, count(*) as events
from events
where payload ->> 'level' is not null
group by all
order by events desc`,
  },
  { name: 'The columns', sql: 'describe events' },
] as const;

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/;

export function isNumberType(type: string): boolean {
  return NUMBERS.test(type);
}

/** A value as text. Decimals come with all their zeros: 4.990000. */
export function cellText(value: unknown, type: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  return type.startsWith('DECIMAL') && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** A cell that begins like a formula gets an apostrophe: spreadsheets would run what a player wrote. */
const FORMULA = /^[=+\-@\t\r]/;

/** The answer as a file for spreadsheets. */
export function answerCsv({ columns, rows }: SqlAnswer): string {
  const line = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`;
  const cells = (row: readonly unknown[]) =>
    columns.map(({ type }, at) => {
      const text = cellText(row[at], type);
      return FORMULA.test(text) && !isNumberType(type) ? `'${text}` : text;
    });
  return [line(columns.map(({ name }) => name)), ...rows.map((row) => line(cells(row)))].join('');
}

function quoted(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
