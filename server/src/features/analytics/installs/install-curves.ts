import { DAY_MS, utcDay } from '../../../lib/day.js';
import { DecimalSum } from '../../../lib/decimal-sum.js';
import type { ValueKind } from '../breakdowns/breakdown.js';
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
};

/** Curves beyond these cannot be told apart on a chart: they are added up as one. */
const SHOWN_CURVES = 12;

type Labelled = { key: string; curve: Pick<InstallCurve, 'cohort' | 'kind' | 'value'> };

/** A curve for each cohort. `throughDay` is the last day that was summed. */
export function curvesByCohort(
  cohorts: readonly InstallCohort[],
  revenue: readonly InstallRevenue[],
  { period, throughDay }: { period: Period; throughDay: string },
): InstallCurve[] {
  const label = ({ cohort }: { cohort: string }): Labelled => ({
    key: cohort,
    curve: { cohort, kind: 'all', value: '' },
  });
  return curvesOf(cohorts, revenue, label, (cohort) => completeAge(cohort, period, throughDay));
}

/** A curve for each of the largest values, over all cohorts; then one for all others. */
export function curvesByValue(
  cohorts: readonly InstallCohort[],
  revenue: readonly InstallRevenue[],
  { period, throughDay }: { period: Period; throughDay: string },
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
  const curves = curvesOf(cohorts, revenue, label, (cohort) => completeAge(cohort, period, throughDay));
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
  ageOf: (cohort: string) => number,
): InstallCurve[] {
  const curves = new Map<string, InstallCurve>();
  for (const row of cohorts) {
    const { key, curve } = label(row);
    const known = curves.get(key) ?? { ...curve, players: 0, playersAt: [], revenue: {} };
    curves.set(key, known);
    known.players += row.players;
    for (let age = 0; age <= ageOf(row.cohort); age++) {
      known.playersAt[age] = (known.playersAt[age] ?? 0) + row.players;
    }
  }
  const steps = new Map<string, DecimalSum[]>();
  for (const row of revenue) {
    const last = ageOf(row.cohort);
    const { key } = label(row);
    const length = curves.get(key)?.playersAt.length ?? 0;
    if (row.age > last) continue;
    const sums = stepsOf(steps, `${key}\n${row.currency}`, length);
    sums[row.age]?.add(row.revenue);
    // From the next age on, the cohort is not in the point.
    sums[last + 1]?.add(negated(row.revenue));
  }
  for (const [key, sums] of steps) {
    const [name = '', currency = ''] = key.split('\n');
    const curve = curves.get(name);
    if (curve !== undefined) curve.revenue[currency] = runningTotals(sums);
  }
  return [...curves.values()];
}

function stepsOf(steps: Map<string, DecimalSum[]>, key: string, length: number): DecimalSum[] {
  const known = steps.get(key) ?? Array.from({ length }, () => new DecimalSum());
  steps.set(key, known);
  return known;
}

function runningTotals(steps: readonly DecimalSum[]): string[] {
  const total = new DecimalSum();
  return steps.map((step) => {
    total.add(step.toString());
    return total.toString();
  });
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** The last day that a run of an instant has summed. */
export function throughDayOf(summedAtMs: number): string {
  return utcDay(summedAtMs - DAY_MS);
}
