import { QUARTER_DAYS } from '../../decide/predict/apply-models.js';
import type { Client } from '../../platform/db/pool.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';

/**
 * Which trainings and grades are kept. A training that was in force is kept as long as the game keeps the events of that time,
 * because explain may need it, and until its predictions of 90 days have been graded. Of the other trainings, the newest and those
 * of the last months are kept, to compare and to roll back to. Grades are kept a little longer than the admin API shows them.
 */
const NEWEST_KEPT = 30;
const KEPT_DAYS = 90;
/** After the last day on which it was in force: some more than grading needs. */
const IN_FORCE_KEPT_DAYS = QUARTER_DAYS + 10;
const GRADES_KEPT_DAYS = 400;

export type Pruned = Readonly<{ models: number; grades: number }>;

export async function pruneModels(client: Client, gameId: number, nowMs: number): Promise<Pruned> {
  const models = await deleteOldModels(client, gameId, nowMs);
  const grades = await deleteOldGrades(client, gameId, dateOf(Math.floor(nowMs / DAY_MS) - GRADES_KEPT_DAYS));
  return { models, grades };
}

async function deleteOldModels(client: Client, gameId: number, nowMs: number): Promise<number> {
  const daysAgo = (days: number) => new Date(nowMs - days * DAY_MS);
  const { rowCount } = await client.query(
    `delete from prediction_models m
     where m.game_id = $1 and m.trained_at < $2
       and m.version < (
         select version from prediction_models where game_id = $1 order by version desc offset $3 limit 1
       )
       and not exists (
         select from prediction_states s
         join games g on g.id = s.game_id
         left join prediction_states next on next.game_id = s.game_id and next.version = s.version + 1
         where s.game_id = $1 and s.model_version = m.version
           and (next.since is null or g.events_deleted_before is null or next.since >= least(g.events_deleted_before, $4::timestamptz))
       )`,
    [gameId, daysAgo(KEPT_DAYS), NEWEST_KEPT - 1, daysAgo(IN_FORCE_KEPT_DAYS)],
  );
  return rowCount ?? 0;
}

async function deleteOldGrades(client: Client, gameId: number, beforeDay: string): Promise<number> {
  const { rowCount } = await client.query('delete from prediction_grades where game_id = $1 and day < $2', [
    gameId,
    beforeDay,
  ]);
  return rowCount ?? 0;
}
