import { type Pool, query } from '../platform/db/pool.js';
import type { ExperimentView } from './view-queries.js';

/** The segments by which players can be grouped who were exposed while a run lasted. */
export async function listExposureSegments(
  pool: Pool,
  gameId: number,
  { startedAt, endedAt }: Pick<ExperimentView, 'startedAt' | 'endedAt'>,
): Promise<string[]> {
  if (startedAt === null) return [];
  const rows = await query<{ segmentId: string }>(
    pool,
    {
      name: 'list_exposure_segments',
      text: `select distinct s.id collate "C" as "segmentId"
             from config_versions v cross join lateral unnest(v.exposure_segments) as s (id)
             where v.game_id = $1 and v.published_at >= $2 and v.published_at <= $3
             order by 1`,
    },
    [gameId, new Date(startedAt), endedAt === null ? 'infinity' : new Date(endedAt)],
  );
  return rows.map(({ segmentId }) => segmentId);
}

/** `isStored`: exposures say whether the player was in the segment, from this publication to the next one. */
export type SegmentPublication = Readonly<{ publishedAt: number; isStored: boolean }>;

/** The version of a game that was in force at `sinceMs`, and those after it that changed whether the segment is stored. A game has any number of versions. */
export async function listSegmentPublications(
  pool: Pool,
  gameId: number,
  segmentId: string,
  sinceMs: number,
): Promise<SegmentPublication[]> {
  return query<SegmentPublication>(
    pool,
    {
      name: 'list_segment_publications',
      text: `select published_at as "publishedAt", is_stored as "isStored"
             from (
               select version, published_at, is_stored, lag(is_stored) over (order by version) as was_stored
               from config_versions
               cross join lateral (select coalesce($2 = any(exposure_segments), false)) as s (is_stored)
               where game_id = $1 and published_at >= coalesce((
                 select published_at from config_versions where game_id = $1 and published_at <= $3
                 order by published_at desc limit 1
               ), '-infinity')
             ) v
             where is_stored is distinct from was_stored
             order by version`,
    },
    [gameId, segmentId, new Date(sinceMs)],
  );
}
