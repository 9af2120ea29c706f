import { HOUR_MS } from '../../platform/lib/day.js';
import { moneyText } from '../../studio/cli/money-text.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { isBetweenTexts, tableLines } from '../../studio/cli/table.js';
import { type RateTable, reportAmounts } from '../../studio/money/exchange-rates.js';
import type { Cohort, Dashboard } from '../analytics/dashboard.js';

const COLUMNS = [
  'active',
  'week',
  'month',
  'new',
  'paying',
  'sessions',
  'events',
  'ads',
  'store',
  'hours',
  'bought',
] as const;

/** Without the days before the first on which something happened: a new game has few others. */
export function dashboardLines({ days, cohorts }: Dashboard, rates: RateTable | null): string[] {
  const first = days.findIndex(
    ({ revenue, ...day }) => COUNTED.some((name) => (day[name] ?? 0) > 0) || Object.keys(revenue).length > 0,
  );
  if (first === -1) return [`Nobody has played in the last ${days.length} days (UTC).`];
  const shown = days.slice(first);
  const table = dashboardTable({ days: shown, cohorts }, rates);
  return first === 0
    ? table
    : [...table, `Nobody played before ${shown[0]?.day} in these ${days.length} days.`];
}

const COUNTED = [
  'activePlayers',
  'monthlyActivePlayers',
  'newPlayers',
  'payingPlayers',
  'monthlyPayingPlayers',
  'events',
  'purchases',
] as const;

/** The newest day first, as a log is read. */
export function dashboardTable({ days, cohorts }: Dashboard, rates: RateTable | null): string[] {
  const retention = new Map(cohorts.map((cohort) => [cohort.day, cohort]));
  const rows = days.toReversed().map((day) => {
    const cohort = retention.get(day.day);
    return [
      day.day,
      grouped(day.activePlayers),
      ...[day.weeklyActivePlayers, day.monthlyActivePlayers].map((n) => (n === null ? '–' : grouped(n))),
      ...[day.newPlayers, day.payingPlayers, day.sessions, day.events].map(grouped),
      ...[day.adImpressions, day.storeViews, Math.round(day.playMs / HOUR_MS), day.purchases].map(grouped),
      ...(['d1', 'd7', 'd28'] as const).map((name) => share(cohort, name)),
      moneyText(day.revenue, reportAmounts(rates, [{ day: day.day, amounts: day.revenue }])),
    ];
  });
  return tableLines([['day', ...COLUMNS, 'D1', 'D7', 'D28', 'revenue'], ...rows], isBetweenTexts);
}

function share(cohort: Cohort | undefined, name: 'd1' | 'd7' | 'd28'): string {
  const active = cohort?.[name] ?? null;
  if (cohort === undefined || active === null || cohort.players === 0) return '–';
  return `${Math.round((100 * active) / cohort.players)}%`;
}
