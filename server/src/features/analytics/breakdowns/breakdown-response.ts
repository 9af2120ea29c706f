import { csvRow, numberCell } from '../../../lib/csv-writer.js';
import { escapeFormulas } from '../../../lib/spreadsheet-formulas.js';
import { perPlayer, shareOf } from '../ratios.js';
import { currenciesOf, revenueCells, revenueColumns } from '../revenue-columns.js';
import type { BreakdownDay, BreakdownTotal } from './breakdown.js';
import { type Dimension, isOfPurchases } from './dimensions.js';

/** The values of a span as the admin API shows them, with the ratios of their numbers. */
export function totalsResponse(
  dimension: Dimension,
  totals: readonly BreakdownTotal[],
  gameActivePlayerDays: number,
) {
  const ofPurchases = isOfPurchases(dimension);
  return totals.map(({ activePlayerDays, newPlayers, retention, value, ...total }) => {
    const active = ofPurchases ? gameActivePlayerDays : activePlayerDays;
    return {
      ...total,
      value: total.kind === 'value' ? value : null,
      activePlayerDays: ofPurchases ? null : activePlayerDays,
      newPlayers: ofPurchases ? null : newPlayers,
      conversion: shareOf(total.payingPlayerDays, active),
      revenuePerActivePlayer: perPlayer(total.revenue, active),
      revenuePerPayingPlayer: perPlayer(total.revenue, total.payingPlayerDays),
      retention: ofPurchases ? null : retention,
    };
  });
}

const COUNTS = ['activePlayerDays', 'newPlayers', 'payingPlayerDays', 'conversion', 'purchases'] as const;
const AFTER = ['1', '7', '28', '30'] as const;

/** A row for each value, with columns for each currency. */
export function totalsToCsv(
  dimension: Dimension,
  totals: ReturnType<typeof totalsResponse>,
  gameActivePlayerDays: number,
): string {
  const currencies = currenciesOf(totals);
  const names = csvRow([
    'kind',
    dimension,
    ...COUNTS,
    ...AFTER.flatMap((days) => [`newPlayers:d${days}`, `d${days}`]),
    ...revenueColumns(currencies),
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
      ...revenueCells(currencies, total.revenue, {
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
export function daysToCsv(dimension: Dimension, days: readonly BreakdownDay[]): string {
  const currencies = currenciesOf(days);
  const isKnown = (name: string) => !isOfPurchases(dimension) || !OF_PLAYERS.has(name);
  const names = csvRow(['day', 'kind', dimension, ...DAY_COUNTS, ...RETAINED, ...revenueColumns(currencies)]);
  const rows = days.map((row) =>
    csvRow([
      row.day,
      row.kind,
      valueCell(row.kind === 'value' ? row.value : null),
      ...[...DAY_COUNTS, ...RETAINED].map((name) => numberCell(isKnown(name) ? row[name] : null)),
      ...revenueCells(currencies, row.revenue, {
        active: isKnown('activePlayers') ? row.activePlayers : null,
        paying: row.payingPlayers,
      }),
    ]),
  );
  return [names, ...rows].join('');
}

/** Clients choose the values. */
function valueCell(value: string | null): string | null {
  return value === null ? null : escapeFormulas(value);
}
