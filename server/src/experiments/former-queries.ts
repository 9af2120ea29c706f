import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import type { OfferEntry } from '../decide/document/parts/offers.js';
import { type Pool, query } from '../platform/db/pool.js';
import type { Report } from './report/report-types.js';

type ExperimentKey = Pick<ExperimentEntry, 'experimentId' | 'seed'>;

/** A run with its last report, and the experiment or the offer whose run it was. */
export type FormerRun = ExperimentKey &
  Readonly<{
    startedAt: number;
    /** Null until maintenance has noticed the end. */
    endedAt: number | null;
    madeAt: number;
    report: Report;
    entry: ExperimentEntry | OfferEntry;
  }>;

/** Older ones can be asked for by their id and seed. */
export const FORMER_LISTED = 100;

type FormerFilter = Readonly<{
  /** Left out: the experiments of the published version. */
  published: readonly ExperimentKey[];
  experimentId?: string;
  seed?: string | undefined;
  limit: number;
}>;

/**
 * Runs with a report, those that ended last first. The entry is that of the last version before the end of the run that has it: the one that
 * decided or stopped the experiment, or in which it ran.
 */
export async function listFormerRuns(
  pool: Pool,
  gameId: number,
  { published, experimentId, seed, limit }: FormerFilter,
): Promise<FormerRun[]> {
  return query<FormerRun>(
    pool,
    {
      name: 'list_former_runs',
      text: `select f.experiment_id as "experimentId", f.seed, f.started_at as "startedAt", f.ended_at as "endedAt",
               f.made_at as "madeAt", f.report, x.entry
             from (
               select u.*, r.made_at, r.report
               from experiment_runs u
               cross join lateral (
                 select r.made_at, r.report from experiment_reports r
                 where r.game_id = u.game_id and r.experiment_id = u.experiment_id and r.seed = u.seed
                 order by r.day desc
                 limit 1
               ) r
               where u.game_id = $1
                 and u.experiment_id = coalesce($4, u.experiment_id) and u.seed = coalesce($5, u.seed)
                 and not exists (
                   select from unnest($2::text[], $3::text[]) as p (experiment_id, seed)
                   where p.experiment_id = u.experiment_id and p.seed = u.seed
                 )
               order by u.ended_at desc nulls first, u.experiment_id, u.seed
               limit $6
             ) f
             cross join lateral (
               select e.entry
               from config_versions v
               cross join lateral (
                 select entry from json_array_elements(v.document -> 'experiments') as e (entry)
                 where entry ->> 'experimentId' = f.experiment_id and entry ->> 'seed' = f.seed
                 union all
                 select entry from json_array_elements(v.document -> 'offers') as o (entry)
                 where 'offer:' || (entry ->> 'offerId') = f.experiment_id and entry ->> 'holdoutPercent' = f.seed
               ) e
               where v.game_id = $1 and v.published_at <= coalesce(f.ended_at, 'infinity')
               order by v.version desc
               limit 1
             ) x
             order by f.ended_at desc nulls first, f.experiment_id, f.seed`,
    },
    [
      gameId,
      published.map((each) => each.experimentId),
      published.map((each) => each.seed),
      experimentId ?? null,
      seed ?? null,
      limit,
    ],
  );
}
