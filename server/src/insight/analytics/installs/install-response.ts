import { csvRow, numberCell } from '../../../platform/lib/csv-writer.js';
import { escapeFormulas } from '../../../platform/lib/spreadsheet-formulas.js';
import { rounded } from '../../../studio/money/ratios.js';
import { missingCell } from '../../../studio/money/revenue-columns.js';
import type { InstallCurve } from './install-curves.js';

/** Curves as the admin API shows them, with the quotients. */
export function curvesResponse(curves: readonly InstallCurve[]) {
  return curves.map(({ kind, value, reported, ...curve }) => {
    const perInstall = (amounts: readonly string[]) =>
      amounts.map((amount, age) => rounded(Number(amount) / (curve.playersAt[age] ?? 1)));
    return {
      ...curve,
      kind,
      value: kind === 'value' ? value : null,
      revenuePerInstall: Object.fromEntries(
        Object.entries(curve.revenue).map(([currency, amounts]) => [currency, perInstall(amounts)]),
      ),
      reported: reported && {
        ...reported,
        revenue: [...reported.revenue],
        revenuePerInstall: perInstall(reported.revenue),
      },
    };
  });
}

type ShownCurve = ReturnType<typeof curvesResponse>[number];

/** A row for each point of each curve. */
export function curvesToCsv(curves: readonly ShownCurve[]): string {
  const currencies = [...new Set(curves.flatMap(({ revenue }) => Object.keys(revenue)))].sort();
  const isReported = curves.some(({ reported }) => reported !== null);
  const names = csvRow([
    ...['cohort', 'kind', 'value', 'age', 'players'],
    ...(isReported
      ? ['reportingCurrency', 'reported:revenue', 'reported:revenuePerInstall', 'withoutRate']
      : []),
    ...currencies.map((currency) => `revenue:${currency}`),
    ...currencies.map((currency) => `revenuePerInstall:${currency}`),
  ]);
  const rows = curves.flatMap(({ cohort, kind, value, playersAt, revenue, revenuePerInstall, reported }) =>
    playersAt.map((players, age) =>
      csvRow([
        ...[cohort, kind, value === null ? null : escapeFormulas(value)],
        ...[numberCell(age), numberCell(players)],
        ...(isReported ? reportedCells(reported, age) : []),
        ...currencies.map((currency) => revenue[currency]?.[age] ?? '0'),
        ...currencies.map((currency) => numberCell(revenuePerInstall[currency]?.[age] ?? 0)),
      ]),
    ),
  );
  return [names, ...rows].join('');
}

function reportedCells(reported: ShownCurve['reported'], age: number): (string | null)[] {
  if (reported === null) return [null, null, null, null];
  const { currency, revenue, revenuePerInstall, missing } = reported;
  return [currency, revenue[age] ?? '0', numberCell(revenuePerInstall[age] ?? 0), missingCell(missing)];
}
