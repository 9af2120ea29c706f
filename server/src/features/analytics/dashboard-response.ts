import { csvRow, numberCell } from '../../lib/csv-writer.js';
import type { Cohort, DashboardDay } from './dashboard.js';
import { perPlayer, shareOf } from './ratios.js';
import { currenciesOf, revenueCells, revenueColumns } from './revenue-columns.js';

/** A day as the admin API tells it: with what follows from its numbers, without the types of its events. */
export function dayResponse({ eventsByType: _types, ...day }: DashboardDay) {
  return {
    ...day,
    conversion: shareOf(day.payingPlayers, day.activePlayers),
    revenuePerActivePlayer: perPlayer(day.revenue, day.activePlayers),
    revenuePerPayingPlayer: perPlayer(day.revenue, day.payingPlayers),
  };
}

export function cohortResponse({ d1, d7, d28, d30, ...cohort }: Cohort) {
  return { ...cohort, retention: { '1': d1, '7': d7, '28': d28, '30': d30 } };
}

const COUNTS = [
  'activePlayers',
  'weeklyActivePlayers',
  'monthlyActivePlayers',
  'newPlayers',
  'payingPlayers',
  'conversion',
  'sessions',
  'events',
  'adImpressions',
  'storeViews',
  'playMs',
  'purchases',
] as const;

/** A row for each day, with columns for each currency. */
export function daysToCsv(days: readonly DashboardDay[]): string {
  const currencies = currenciesOf(days);
  const rows = days.map((day) => {
    const response = dayResponse(day);
    return csvRow([
      day.day,
      ...COUNTS.map((name) => numberCell(response[name])),
      ...revenueCells(currencies, day.revenue, { active: day.activePlayers, paying: day.payingPlayers }),
    ]);
  });
  const names = csvRow(['day', ...COUNTS, ...revenueColumns(currencies)]);
  return [names, ...rows].join('');
}

const RETENTION = ['d1', 'd7', 'd28', 'd30'] as const;

/** A row for each cohort; `day0` is the day on which the players started. A day that is not over, or not in the span, is empty. */
export function cohortsToCsv(cohorts: readonly Cohort[]): string {
  const width = cohorts.reduce((widest, { active }) => Math.max(widest, active.length), 0);
  const offsets = Array.from({ length: width }, (_, offset) => offset);
  const rows = cohorts.map((cohort) =>
    csvRow([
      cohort.day,
      numberCell(cohort.players),
      ...RETENTION.map((name) => numberCell(cohort[name])),
      ...offsets.map((offset) => numberCell(cohort.active[offset] ?? null)),
    ]),
  );
  const names = csvRow(['day', 'players', ...RETENTION, ...offsets.map((offset) => `day${offset}`)]);
  return [names, ...rows].join('');
}
