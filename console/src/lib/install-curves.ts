import type { Schemas } from '../api/client.js';
import { formatDay } from './format.js';

export type Curve = Schemas['InstallCurve'];

/** The columns of the table, in days since the start. */
export const AGES = [0, 1, 7, 14, 30, 60, 90, 180] as const;
/** As many can be told apart by colour. */
const DRAWN = 6;

export function nameOfCurve({ cohort, kind, value }: Curve): string {
  if (cohort !== null) return `from ${formatDay(cohort)}`;
  if (kind === 'other') return 'all others';
  return value ?? 'not told';
}

/** By the days on which anybody paid in it: the first is shown unless another is asked for. */
export function currenciesOf(curves: readonly Curve[]): string[] {
  const sizes = new Map<string, number>();
  for (const { revenue } of curves) {
    for (const [currency, amounts] of Object.entries(revenue)) {
      sizes.set(currency, (sizes.get(currency) ?? 0) + amounts.filter((amount) => Number(amount) > 0).length);
    }
  }
  return [...sizes].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([currency]) => currency);
}

/** What an install is worth at an age; null while the curve does not reach it. */
export function worthAt(
  { playersAt, revenuePerInstall }: Curve,
  currency: string,
  age: number,
): number | null {
  return age < playersAt.length ? (revenuePerInstall[currency]?.[age] ?? 0) : null;
}

/** The curves of the chart: of cohorts the newest that are at least a week long, of values the largest. */
export function drawnCurves(curves: readonly Curve[]): Curve[] {
  if (curves.every(({ cohort }) => cohort === null)) return curves.slice(0, DRAWN);
  const long = curves.filter(({ playersAt }) => playersAt.length > 7);
  return (long.length > 0 ? long : curves).slice(-DRAWN);
}
