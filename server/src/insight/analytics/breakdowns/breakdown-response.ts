import { csvRow, numberCell } from '../../../platform/lib/csv-writer.js';
import { escapeFormulas } from '../../../platform/lib/spreadsheet-formulas.js';
import type { RateTable } from '../../../studio/money/exchange-rates.js';
import { perActivePlayer, perPayer, reportRevenue, shareOf } from '../../../studio/money/ratios.js';
import { RevenueColumns } from '../../../studio/money/revenue-columns.js';
import type { BreakdownDay, BreakdownTotal } from './breakdown.js';
import { type Dimension, isOfPurchases } from './dimensions.js';

/** The values of a span as the admin API shows them, with the ratios of their numbers. */
export function totalsResponse(
  dimension: Dimension,
  totals: readonly BreakdownTotal[],
  gameActivePlayerDays: number,
  rates: RateTable | null,
) {
  const ofPurchases = isOfPurchases(dimension);
  return totals.map(({ activePlayerDays, newPlayers, retention, value, dated, ...total }) => {
    const active = ofPurchases ? gameActivePlayerDays : activePlayerDays;
    const divisors = { active, paying: total.payingPlayerDays };
    return {
      ...total,
      value: total.kind === 'value' ? value : null,
      activePlayerDays: ofPurchases ? null : activePlayerDays,
      newPlayers: ofPurchases ? null : newPlayers,
      dailyConversion: shareOf(total.payingPlayerDays, active),
      revenuePerActivePlayer: perActivePlayer(total.revenue, divisors),
      revenuePerPayingPlayer: perPayer(total.revenue, divisors),
      reported: reportRevenue(rates, dated, divisors),
      retention: ofPurchases ? null : retention,
    };
  });
}

const COUNTS = [
  'activePlayerDays',
  'newPlayers',
  'payingPlayerDays',
  'dailyConversion',
  'purchases',
] as const;
const AFTER = ['1', '7', '28', '30'] as const;

/** A row for each value, with columns for each currency. */
export function totalsToCsv(
  dimension: Dimension,
  totals: ReturnType<typeof totalsResponse>,
  gameActivePlayerDays: number,
): string {
  const money = new RevenueColumns(totals);
  const names = csvRow([
    'kind',
    dimension,
    ...COUNTS,
    ...AFTER.flatMap((days) => [`newPlayers:d${days}`, `d${days}`]),
    ...money.names,
  ]);
  const rows = totals.map((total) =>
    csvRow([
      total.kind,
      valueCell(total.value),
      ...COUNTS.map((name) => numberCell(total[name])),
      ...AFTER.flatMap((days) => [
        numberCell(total.retention?.[days].newPlayers ?? null),
        numberCell(total.retention?.[days].active ?? null),
      ]),
      ...money.cells(total, {
        active: total.activePlayerDays ?? gameActivePlayerDays,
        paying: total.payingPlayerDays,
      }),
    ]),
  );
  return [names, ...rows].join('');
}

const DAY_COUNTS = ['activePlayers', 'newPlayers', 'payingPlayers', 'purchases'] as const;
const RETAINED = ['d1', 'd7', 'd28', 'd30'] as const;
/** Unknown for purchases. */
const OF_PLAYERS: ReadonlySet<string> = new Set(['activePlayers', 'newPlayers', ...RETAINED]);

/** A row for each day and value. */
export function daysToCsv(
  dimension: Dimension,
  days: readonly BreakdownDay[],
  rates: RateTable | null,
): string {
  const isKnown = (name: string) => !isOfPurchases(dimension) || !OF_PLAYERS.has(name);
  const reported = days.map((row) => {
    const divisors = {
      active: isKnown('activePlayers') ? row.activePlayers : null,
      paying: row.payingPlayers,
    };
    const amounts = [{ day: row.day, amounts: row.revenue }];
    return { ...row, divisors, reported: reportRevenue(rates, amounts, divisors) };
  });
  const money = new RevenueColumns(reported);
  const names = csvRow(['day', 'kind', dimension, ...DAY_COUNTS, ...RETAINED, ...money.names]);
  const rows = reported.map((row) =>
    csvRow([
      row.day,
      row.kind,
      valueCell(row.kind === 'value' ? row.value : null),
      ...[...DAY_COUNTS, ...RETAINED].map((name) => numberCell(isKnown(name) ? row[name] : null)),
      ...money.cells(row, row.divisors),
    ]),
  );
  return [names, ...rows].join('');
}

/** Clients choose the values. */
function valueCell(value: string | null): string | null {
  return value === null ? null : escapeFormulas(value);
}
