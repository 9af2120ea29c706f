import { DAY_MS, utcDay } from '../../../platform/lib/day.js';
import type { RateTable } from '../../../studio/money/exchange-rates.js';
import type { ValueKind } from '../breakdowns/breakdown.js';
import { CurveRevenue, type ReportedCurve } from './curve-revenue.js';
import { MAX_AGE_DAYS, type Period } from './install-cohorts.js';
import type { InstallCohort, InstallRevenue } from './install-queries.js';

/** Revenue per install, up to each age. Pure. */
export type InstallCurve = {
  /** The first day of the week or month; null for a curve of all cohorts of the span. */
  cohort: string | null;
  kind: ValueKind | 'all';
  /** Empty unless the kind is `value`. */
  value: string;
  /** All who started, also those who are younger than the curve is long. */
  players: number;
  /** By age: how many of the players are in the point. */
  playersAt: number[];
  /** By currency and age: what these players have paid up to that day, as exact decimals. */
  revenue: Record<string, string[]>;
  /** The same in the reporting currency; null if the studio has none. */
  reported: ReportedCurve | null;
};

/** Curves beyond these cannot be told apart on a chart: they are added up as one. */
const SHOWN_CURVES = 12;

type Labelled = { key: string; curve: Pick<InstallCurve, 'cohort' | 'kind' | 'value'> };

export type CurveOptions = Readonly<{
  period: Period;
  /** The last day that was summed. */
  throughDay: string;
  /** Null if the studio has no reporting currency. */
  rates: RateTable | null;
}>;

/** A curve for each cohort. */
export function curvesByCohort(
  cohorts: readonly InstallCohort[],
  revenue: readonly InstallRevenue[],
  { period, throughDay, rates }: CurveOptions,
): InstallCurve[] {
  const label = ({ cohort }: { cohort: string }): Labelled => ({
    key: cohort,
    curve: { cohort, kind: 'all', value: '' },
  });
  return curvesOf(cohorts, revenue, label, {
    rates,
    ageOf: (cohort) => completeAge(cohort, period, throughDay),
  });
}

/** A curve for each of the largest values, over all cohorts; then one for all others. */
export function curvesByValue(
  cohorts: readonly InstallCohort[],
  revenue: readonly InstallRevenue[],
  { period, throughDay, rates }: CurveOptions,
): InstallCurve[] {
  const sizes = new Map<string, number>();
  for (const { isRemainder, value, players } of cohorts) {
    if (!isRemainder) sizes.set(value, (sizes.get(value) ?? 0) + players);
  }
  const bySize = [...sizes].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([value]) => value);
  const shown = new Set(bySize.slice(0, SHOWN_CURVES));
  const label = ({ isRemainder, value }: Omit<InstallCohort, 'players'>): Labelled => {
    if (isRemainder || !shown.has(value)) {
      return { key: 'other', curve: { cohort: null, kind: 'other', value: '' } };
    }
    return {
      key: `value ${value}`,
      curve: { cohort: null, kind: value === '' ? 'unknown' : 'value', value },
    };
  };
  const curves = curvesOf(cohorts, revenue, label, {
    rates,
    ageOf: (cohort) => completeAge(cohort, period, throughDay),
  });
  const place = ({ kind, value }: InstallCurve) => (kind === 'other' ? bySize.length : bySize.indexOf(value));
  return curves.sort((a, b) => place(a) - place(b));
}

/** The age that all players of a cohort have completed: who started on its last day is the youngest. */
export function completeAge(cohort: string, period: Period, throughDay: string): number {
  const start = new Date(`${cohort}T00:00:00Z`);
  const nextMs =
    period === 'week'
      ? start.getTime() + 7 * DAY_MS
      : Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
  const lastStartMs = Math.min(nextMs - DAY_MS, Date.parse(throughDay));
  return Math.min(MAX_AGE_DAYS, Math.round((Date.parse(throughDay) - lastStartMs) / DAY_MS));
}

/**
 * Adds cohorts up to curves. A cohort counts in a point if all of its players have completed that age, so each point divides the
 * revenue of some players by the number of the same players.
 */
function curvesOf(
  cohorts: readonly InstallCohort[],
  revenue: readonly InstallRevenue[],
  label: (row: Omit<InstallCohort, 'players'>) => Labelled,
  { rates, ageOf }: { rates: RateTable | null; ageOf: (cohort: string) => number },
): InstallCurve[] {
  const curves = new Map<string, Omit<InstallCurve, 'revenue' | 'reported'>>();
  for (const row of cohorts) {
    const { key, curve } = label(row);
    const known = curves.get(key) ?? { ...curve, players: 0, playersAt: [] };
    curves.set(key, known);
    known.players += row.players;
    for (let age = 0; age <= ageOf(row.cohort); age++) {
      known.playersAt[age] = (known.playersAt[age] ?? 0) + row.players;
    }
  }
  const paid = new Map(
    [...curves].map(([key, { playersAt }]) => [key, new CurveRevenue(playersAt.length)] as const),
  );
  for (const row of revenue) {
    const last = ageOf(row.cohort);
    if (row.age <= last) paid.get(label(row).key)?.add(row, last);
  }
  return [...curves].map(([key, curve]) => ({
    ...curve,
    revenue: paid.get(key)?.byCurrency() ?? {},
    reported: (rates && paid.get(key)?.reported(rates)) ?? null,
  }));
}

/** The last day that a run of an instant has summed. */
export function throughDayOf(summedAtMs: number): string {
  return utcDay(summedAtMs - DAY_MS);
}
