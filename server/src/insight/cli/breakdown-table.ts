import { moneyText } from '../../studio/cli/money-text.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { isBetweenTexts, tableLines } from '../../studio/cli/table.js';
import { type RateTable, reportAmounts } from '../../studio/money/exchange-rates.js';
import type { BreakdownTotal } from '../analytics/breakdowns/breakdown.js';
import { type Dimension, isOfPurchases } from '../analytics/breakdowns/dimensions.js';

const NAMES = { unknown: '(unknown)', other: '(all others)' } as const;

/** The largest first. Clients choose the values. */
export function breakdownTable(
  dimension: Dimension,
  totals: readonly BreakdownTotal[],
  rates: RateTable | null,
): string[] {
  if (totals.length === 0)
    return ['Nothing has been summed yet. The service does so a few minutes after the first events.'];
  const ofPurchases = isOfPurchases(dimension);
  const rows = totals.map(({ kind, value, retention, revenue, dated, ...total }) => [
    kind === 'value' ? printable(value) : NAMES[kind],
    ...(ofPurchases ? [] : [grouped(total.activePlayerDays), grouped(total.newPlayers)]),
    ...[total.payingPlayerDays, total.purchases].map(grouped),
    ...(ofPurchases ? [] : (['1', '7', '28'] as const).map((days) => share(retention[days]))),
    moneyText(revenue, reportAmounts(rates, dated)),
  ]);
  const names = ofPurchases
    ? [dimension, 'payer days', 'bought', 'revenue']
    : [dimension, 'active days', 'new', 'payer days', 'bought', 'D1', 'D7', 'D28', 'revenue'];
  return tableLines([names, ...rows], isBetweenTexts);
}

function share({ newPlayers, active }: { newPlayers: number; active: number }): string {
  return newPlayers === 0 ? '–' : `${Math.round((100 * active) / newPlayers)}%`;
}
