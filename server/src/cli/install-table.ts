import type { InstallCurve } from '../features/analytics/installs/install-curves.js';
import type { RevenuePerInstall } from '../features/analytics/installs/revenue-per-install.js';
import { printable } from './printable.js';
import { grouped } from './progress-bar.js';
import { tableLines } from './table.js';

const AGES = [0, 1, 7, 14, 30, 60, 90, 180];
const NAMES = { unknown: '(unknown)', other: '(all others)' } as const;

/** Revenue per install at some ages, a table for each currency. Clients choose the values. */
export function installTable({ summedAt, throughDay, curves }: RevenuePerInstall): string[] {
  if (summedAt === null || curves.length === 0)
    return ['Nothing has been summed yet. The service does so a few minutes after the first events.'];
  const currencies = [...new Set(curves.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
  if (currencies.length === 0) return ['No player who started in this time has paid anything yet.'];
  const tables = currencies.flatMap((currency) => [
    `${currency} per install by days since the start`,
    ...tableLines(
      [
        ['', 'players', ...AGES.map((age) => `D${age}`)],
        ...curves.map((curve) => [
          nameOf(curve),
          grouped(curve.players),
          ...AGES.map((age) => pointOf(curve, currency, age)),
        ]),
      ],
      (column) => column > 0,
    ),
    '',
  ]);
  return [
    ...tables,
    `Days up to ${throughDay}. A point is there once all players of the cohort are that old.`,
  ];
}

function nameOf({ cohort, kind, value }: InstallCurve): string {
  if (kind === 'all') return cohort ?? '';
  return kind === 'value' ? printable(value) : NAMES[kind];
}

function pointOf({ playersAt, revenue }: InstallCurve, currency: string, age: number): string {
  const players = playersAt[age];
  return players === undefined ? '–' : (Number(revenue[currency]?.[age] ?? 0) / players).toFixed(4);
}
