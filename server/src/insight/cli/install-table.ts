import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import type { InstallCurve } from '../analytics/installs/install-curves.js';
import type { RevenuePerInstall } from '../analytics/installs/revenue-per-install.js';
import { summingLines } from './summing-lines.js';

const AGES = [0, 1, 7, 14, 30, 60, 90, 180];
const NAMES = { unknown: '(unknown)', other: '(all others)' } as const;

type Shown = { currency: string; amountsOf: (curve: InstallCurve) => readonly string[] };

/**
 * Revenue per install at some ages, in the reporting currency; without one, or if asked for (`isOriginal`), a table for each
 * currency. Clients choose the values.
 */
export function installTable(
  { summedAt, summing, throughDay, curves }: RevenuePerInstall,
  isOriginal = false,
): string[] {
  const being = summingLines(summing);
  if (summedAt === null || curves.length === 0)
    return [
      ...being,
      'Nothing has been summed yet. The service does so a few minutes after the first events.',
    ];
  const currencies = [...new Set(curves.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
  if (currencies.length === 0) return [...being, 'No player who started in this time has paid anything yet.'];
  const reported = isOriginal ? [] : curves.flatMap((curve) => curve.reported ?? []);
  const reportingCurrency = reported[0]?.currency;
  const without = [...new Set(reported.flatMap(({ missing }) => Object.keys(missing)))].sort();
  const shown: Shown[] =
    reportingCurrency === undefined
      ? currencies.map((currency) => ({ currency, amountsOf: ({ revenue }) => revenue[currency] ?? [] }))
      : [{ currency: reportingCurrency, amountsOf: (curve) => curve.reported?.revenue ?? [] }];
  const tables = shown.flatMap(({ currency, amountsOf }) => [
    `${currency} per install by days since the start`,
    ...tableLines(
      [
        ['', 'players', ...AGES.map((age) => `D${age}`)],
        ...curves.map((curve) => [
          nameOf(curve),
          grouped(curve.players),
          ...AGES.map((age) => pointOf(curve, amountsOf(curve), age)),
        ]),
      ],
      (column) => column > 0,
    ),
    '',
  ]);
  return [
    ...being,
    ...tables,
    `Days up to ${throughDay}. A point is there once all players of the cohort are that old.`,
    ...(without.length === 0 ? [] : [`Without payments in ${without.join(', ')}: no rate on some days.`]),
  ];
}

function nameOf({ cohort, kind, value }: InstallCurve): string {
  if (kind === 'all') return cohort ?? '';
  return kind === 'value' ? printable(value) : NAMES[kind];
}

function pointOf({ playersAt }: InstallCurve, amounts: readonly string[], age: number): string {
  const players = playersAt[age];
  return players === undefined ? '–' : (Number(amounts[age] ?? 0) / players).toFixed(4);
}
