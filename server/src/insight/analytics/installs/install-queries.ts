import { type Pool, query } from '../../../platform/db/pool.js';
import type { DaySpan } from '../../../studio/admin-api/day-span.js';
import type { InstallDimension, Period } from './install-cohorts.js';

/** Players who started in one week or month, with one value. */
export type InstallCohort = { cohort: string; isRemainder: boolean; value: string; players: number };

/** What the players of an `InstallCohort` paid at an age. An exact decimal as text. */
export type InstallRevenue = Omit<InstallCohort, 'players'> & {
  age: number;
  currency: string;
  /** When the exchange rate that holds began to; null if none holds. */
  rateDay: string | null;
  revenue: string;
};

export type InstallSpan = DaySpan & Readonly<{ dimension: InstallDimension; period: Period }>;

/** The cohorts of the weeks or months that the span touches, oldest first. */
export function listInstallCohorts(pool: Pool, gameId: number, span: InstallSpan): Promise<InstallCohort[]> {
  return query<InstallCohort>(pool, COHORTS, valuesOf(gameId, span));
}

export function listInstallRevenue(pool: Pool, gameId: number, span: InstallSpan): Promise<InstallRevenue[]> {
  return query<InstallRevenue>(pool, REVENUE, valuesOf(gameId, span));
}

/** When the curves were summed last, or null. */
export async function findInstallsSummedAt(pool: Pool, gameId: number): Promise<number | null> {
  const [row] = await query<{ summedAt: number | null }>(pool, SUMMED_AT, [gameId]);
  return row?.summedAt ?? null;
}

function valuesOf(gameId: number, { dimension, period, from, to }: InstallSpan): unknown[] {
  return [gameId, dimension, period, from, to];
}

const IN_SPAN = `game_id = $1 and dimension = $2 and period = $3
      and cohort >= date_trunc($3, $4::timestamp)::date and cohort <= $5::date`;

const COHORTS = {
  name: 'list_install_cohorts',
  text: `
    select cohort::text, is_remainder as "isRemainder", value, players::float8 as players
    from game_install_cohorts
    where ${IN_SPAN}
    order by cohort, is_remainder, value`,
};

const REVENUE = {
  name: 'list_install_revenue',
  text: `
    select cohort::text, is_remainder as "isRemainder", value, age, currency, nullif(rate_day, '-infinity')::text as "rateDay",
      trim_scale(revenue)::text as revenue
    from game_install_revenue
    where ${IN_SPAN}
    order by cohort, is_remainder, value, age, currency, rate_day`,
};

const SUMMED_AT = {
  name: 'find_installs_summed_at',
  text: 'select installs_summed_at as "summedAt" from breakdown_runs where game_id = $1',
};
