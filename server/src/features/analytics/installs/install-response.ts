import { csvRow, numberCell } from '../../../lib/csv-writer.js';
import { escapeFormulas } from '../../../lib/spreadsheet-formulas.js';
import { rounded } from '../ratios.js';
import type { InstallCurve } from './install-curves.js';

/** Curves as the admin API shows them, with the quotients. */
export function curvesResponse(curves: readonly InstallCurve[]) {
  return curves.map(({ kind, value, ...curve }) => ({
    ...curve,
    kind,
    value: kind === 'value' ? value : null,
    revenuePerInstall: Object.fromEntries(
      Object.entries(curve.revenue).map(([currency, amounts]) => [
        currency,
        amounts.map((amount, age) => rounded(Number(amount) / (curve.playersAt[age] ?? 1))),
      ]),
    ),
  }));
}

/** A row for each point of each curve. */
export function curvesToCsv(curves: ReturnType<typeof curvesResponse>): string {
  const currencies = [...new Set(curves.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
  const names = csvRow([
    ...['cohort', 'kind', 'value', 'age', 'players'],
    ...currencies.map((currency) => `revenue:${currency}`),
    ...currencies.map((currency) => `revenuePerInstall:${currency}`),
  ]);
  const rows = curves.flatMap(({ cohort, kind, value, playersAt, revenue, revenuePerInstall }) =>
    playersAt.map((players, age) =>
      csvRow([
        ...[cohort, kind, value === null ? null : escapeFormulas(value)],
        ...[numberCell(age), numberCell(players)],
        ...currencies.map((currency) => revenue[currency]?.[age] ?? '0'),
        ...currencies.map((currency) => numberCell(revenuePerInstall[currency]?.[age] ?? 0)),
      ]),
    ),
  );
  return [names, ...rows].join('');
}
