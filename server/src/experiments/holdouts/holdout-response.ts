import { csvRow, numberCell } from '../../platform/lib/csv-writer.js';
import { compareGroups, type Difference, type ReportedComparison } from './comparison.js';
import type { StoredComparison } from './holdout-queries.js';

export function comparisonResponse({ from, to, holdoutPercent, sums, summedAt }: StoredComparison) {
  return {
    from,
    to,
    holdoutPercent,
    summedAt: new Date(summedAt).toISOString(),
    ...compareGroups(sums, holdoutPercent),
  };
}

export type ComparisonResponse = ReturnType<typeof comparisonResponse>;

const COLUMNS = [
  ...['from', 'to', 'holdoutPercent', 'measure', 'currency'],
  ...['heldOutPlayers', 'heldOut', 'targetedPlayers', 'targeted', 'difference', 'low', 'high', 'state'],
  ...['cappedPlayers', 'cappedAt'],
];

/** A row for the conversion, one for the revenue of each currency, and one for all of it in the reporting currency. */
export function comparisonToCsv(comparison: ComparisonResponse | null): string {
  const names = csvRow(COLUMNS);
  if (comparison === null) return names;
  const { heldOut, targeted, conversion, revenuePerPlayer, reported } = comparison;
  const row = (
    measure: string,
    currency: string | null,
    values: [number | null, number | null],
    of: Difference,
  ) =>
    csvRow([
      ...[comparison.from, comparison.to, String(comparison.holdoutPercent), measure, currency],
      ...[
        numberCell(heldOut.players),
        numberCell(values[0]),
        numberCell(targeted.players),
        numberCell(values[1]),
      ],
      ...[
        numberCell(of.difference),
        numberCell(of.interval?.low ?? null),
        numberCell(of.interval?.high ?? null),
        of.state,
      ],
      ...[numberCell(of.capped?.players ?? null), numberCell(of.capped?.at ?? null)],
    ]);
  const reportedRow = ({ currency, heldOut, targeted, difference }: ReportedComparison) =>
    row('reportedRevenuePerPlayer', currency, [heldOut, targeted], difference);
  return [
    names,
    row('conversion', null, [heldOut.conversion, targeted.conversion], conversion),
    ...Object.entries(revenuePerPlayer).map(([currency, difference]) => {
      const means = [heldOut, targeted].map((group) => group.revenuePerPlayer[currency] ?? null);
      return row('revenuePerPlayer', currency, [means[0] ?? null, means[1] ?? null], difference);
    }),
    ...(reported === null ? [] : [reportedRow(reported)]),
  ].join('');
}
