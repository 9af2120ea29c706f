import type { Pool } from '../../../platform/db/pool.js';
import { utcDay } from '../../../platform/lib/day.js';
import type { DaySpan } from '../../../studio/admin-api/day-span.js';
import { findRateTable } from '../../../studio/money/rate-queries.js';
import { findSumming, type Summing } from '../breakdowns/days-behind.js';
import type { InstallDimension, Period } from './install-cohorts.js';
import { curvesByCohort, curvesByValue, type InstallCurve, throughDayOf } from './install-curves.js';
import { findInstallsSummedAt, listInstallCohorts, listInstallRevenue } from './install-queries.js';

export type RevenuePerInstall = {
  /** Null while nothing has been summed. */
  summedAt: number | null;
  throughDay: string | null;
  summing: Summing | null;
  curves: InstallCurve[];
};

/** The curves of the cohorts that started in the span. */
export async function revenuePerInstall(
  pool: Pool,
  gameId: number,
  { by, period, from, to }: DaySpan & { by: 'cohort' | InstallDimension; period: Period },
  nowMs: number,
): Promise<RevenuePerInstall> {
  const summedAt = await findInstallsSummedAt(pool, gameId);
  // The players of the span pay up to now.
  const summing = await findSumming(pool, gameId, { from, to: utcDay(nowMs) }, nowMs);
  if (summedAt === null) return { summedAt, throughDay: null, summing, curves: [] };
  const throughDay = throughDayOf(summedAt);
  // Each player stands once under each dimension, so the values of any of them add up to the cohort.
  const span = { dimension: by === 'cohort' ? 'country' : by, period, from, to } as const;
  const cohorts = await listInstallCohorts(pool, gameId, span);
  const revenue = await listInstallRevenue(pool, gameId, span);
  const rates = await findRateTable(pool, gameId);
  const curvesOf = by === 'cohort' ? curvesByCohort : curvesByValue;
  return { summedAt, throughDay, summing, curves: curvesOf(cohorts, revenue, { period, throughDay, rates }) };
}
