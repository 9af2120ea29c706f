import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { type Pool, query } from '../platform/db/pool.js';
import type { RunKey } from './exposure-queries.js';
import type { MetricReport, Report } from './report/report-types.js';

export type ExperimentView = Readonly<{
  experimentId: string;
  startedAt: number | null;
  endedAt: number | null;
  /** Somebody has asked for new sums, which are not made yet. */
  isRequested: boolean;
  madeAt: number | null;
  report: Report | null;
}>;

/** Of each experiment with its present seed: when it ran, and its newest report since then. */
export async function listExperimentViews(
  pool: Pool,
  gameId: number,
  experiments: readonly Pick<ExperimentEntry, 'experimentId' | 'seed'>[],
): Promise<ExperimentView[]> {
  return query<ExperimentView>(
    pool,
    {
      name: 'list_experiment_views',
      text: `select x.experiment_id as "experimentId", u.started_at as "startedAt", u.ended_at as "endedAt",
               coalesce(u.is_requested, false) as "isRequested", r.made_at as "madeAt", r.report
             from unnest($2::text[], $3::text[]) as x (experiment_id, seed)
             left join lateral (
               select u.started_at, u.ended_at, u.requested_at is not null as is_requested from experiment_runs u
               where u.game_id = $1 and u.experiment_id = x.experiment_id and u.seed = x.seed
               offset 0
             ) u on true
             left join lateral (
               select r.made_at, r.report from experiment_reports r
               where r.game_id = $1 and r.experiment_id = x.experiment_id and r.seed = x.seed
                 and r.day >= coalesce((u.started_at at time zone 'UTC')::date, '-infinity')
               order by r.day desc
               limit 1
             ) r on true`,
    },
    [gameId, experiments.map(({ experimentId }) => experimentId), experiments.map(({ seed }) => seed)],
  );
}

export type ExposedSoFar = Readonly<{ arms: { variantId: string; players: number }[]; isBounded: boolean }>;

/** Counted for a page while there is no report. Enough to see that players arrive, and in which arms. */
export const EXPOSED_COUNTED = 10_000;

export async function countExposed(
  pool: Pool,
  { gameId, experimentId, seed }: RunKey,
): Promise<ExposedSoFar> {
  const arms = await query<ExposedSoFar['arms'][number]>(
    pool,
    {
      name: 'count_exposed',
      text: `select variant_id as "variantId", count(*)::int as players
             from (
               select variant_id from experiment_exposures
               where game_id = $1 and experiment_id = $2 and seed = $3
               order by exposed_at, player_id
               limit $4
             ) e
             group by variant_id
             order by variant_id`,
    },
    [gameId, experimentId, seed, EXPOSED_COUNTED],
  );
  return { arms, isBounded: arms.reduce((sum, { players }) => sum + players, 0) >= EXPOSED_COUNTED };
}

export type Ending = Readonly<{ version: number; author: string; authorEmail: string | null; note: string }>;

/** The version that ended a run; null if it has not ended, or if that is not known. */
export async function findEnding(
  pool: Pool,
  gameId: number,
  { endedAt }: Pick<ExperimentView, 'endedAt'>,
): Promise<Ending | null> {
  if (endedAt === null) return null;
  const rows = await query<Ending>(
    pool,
    {
      name: 'find_ending',
      text: `select version, author, author_email as "authorEmail", note from config_versions
             where game_id = $1 and published_at = $2
             order by version
             limit 1`,
    },
    [gameId, new Date(endedAt)],
  );
  return rows[0] ?? null;
}

/** The arms of the primary metric as they were reported on a day. */
export type ReportedDay = Readonly<{ day: string; arms: MetricReport['arms'] }>;

/** The newest days, newest first. */
export async function listReportedDays(
  pool: Pool,
  { gameId, experimentId, seed }: RunKey,
  limit: number,
): Promise<ReportedDay[]> {
  return query<ReportedDay>(
    pool,
    {
      name: 'list_reported_days',
      text: `select day::text, report #> '{metrics,0,arms}' as arms from experiment_reports
             where game_id = $1 and experiment_id = $2 and seed = $3
             order by day desc
             limit $4`,
    },
    [gameId, experimentId, seed, limit],
  );
}

/** False if the experiment does not run, or has begun so lately that maintenance has not seen it. */
export async function updateSumsRequested(
  pool: Pool,
  { gameId, experimentId, seed }: RunKey,
  nowMs: number,
): Promise<boolean> {
  const rows = await query(
    pool,
    {
      name: 'update_sums_requested',
      text: `update experiment_runs set requested_at = $4
             where game_id = $1 and experiment_id = $2 and seed = $3 and ended_at is null
             returning 1`,
    },
    [gameId, experimentId, seed, new Date(nowMs)],
  );
  return rows.length > 0;
}
