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

/** Which money of the curves is shown: all of it in the reporting currency, or only what was paid in one currency. */
export type ShownMoney = Readonly<{ currency: string; isReported: boolean }>;

/** `wanted`: a currency that players paid in. Null if nobody has paid anything. */
export function shownMoney(curves: readonly Curve[], wanted: string | undefined): ShownMoney | null {
  const currencies = currenciesOf(curves);
  if (wanted !== undefined && currencies.includes(wanted)) return { currency: wanted, isReported: false };
  const [first] = currencies;
  if (first === undefined) return null;
  const reported = curves.find((curve) => curve.reported !== null)?.reported;
  return reported == null
    ? { currency: first, isReported: false }
    : { currency: reported.currency, isReported: true };
}

/** What the note about missing rates goes by. */
export function moneyOf(curves: readonly Curve[]) {
  return curves.map(({ revenue, reported }) => ({
    revenue: Object.fromEntries(
      Object.entries(revenue).map(([currency, amounts]) => [currency, amounts.at(-1) ?? '0']),
    ),
    reported,
  }));
}

/** What an install is worth at an age; null while the curve does not reach it. */
export function worthAt(
  { playersAt, revenuePerInstall, reported }: Curve,
  { currency, isReported }: ShownMoney,
  age: number,
): number | null {
  if (age >= playersAt.length) return null;
  return (isReported ? reported?.revenuePerInstall[age] : revenuePerInstall[currency]?.[age]) ?? 0;
}

/** The curves of the chart: of cohorts the newest that are at least a week long, of values the largest. */
export function drawnCurves(curves: readonly Curve[]): Curve[] {
  if (curves.every(({ cohort }) => cohort === null)) return curves.slice(0, DRAWN);
  const long = curves.filter(({ playersAt }) => playersAt.length > 7);
  return (long.length > 0 ? long : curves).slice(-DRAWN);
}
