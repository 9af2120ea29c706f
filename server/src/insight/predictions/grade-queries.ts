import type { GradedName } from '../../decide/predict/artefact.js';
import type { Health } from '../../decide/predict/grade.js';
import type { TotalMetrics } from '../../decide/predict/grade-totals.js';
import type { ProbabilityMetrics } from '../../decide/predict/metrics.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** How a model did in the week until a day, or one of its predictions in the 28 or 90 days until then. */
export type Grade = {
  day: string;
  model: GradedName;
  modelVersion: number;
  /** True: players got these predictions. False: the model in force now was not in force then. */
  wasTold: boolean;
  /** `week`: the same of the newest week, for what payers spend. */
  metrics: ProbabilityMetrics | (TotalMetrics & { week?: TotalMetrics });
  health: Health;
  gradedAt: number;
};

/** Keeps an existing grade of the day: late events must not change a grade that was acted upon. */
export async function insertGrade(client: Client, gameId: number, grade: Grade): Promise<void> {
  await client.query(
    `insert into prediction_grades (game_id, day, model, model_version, was_told, metrics, health, graded_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict do nothing`,
    [
      gameId,
      grade.day,
      grade.model,
      grade.modelVersion,
      grade.wasTold,
      JSON.stringify(grade.metrics),
      grade.health,
      new Date(grade.gradedAt),
    ],
  );
}

export type GradePage = {
  sinceDay: string;
  limit: number;
  /** All of them if left out. */
  model?: GradedName | undefined;
  /** The last grade of the page before. */
  after?: Pick<Grade, 'day' | 'model' | 'modelVersion'> | undefined;
};

/** The newest days first. */
export async function listGrades(
  pool: Pool,
  gameId: number,
  { sinceDay, limit, model, after }: GradePage,
): Promise<Grade[]> {
  return query<Grade>(
    pool,
    {
      name: 'list_prediction_grades',
      text: `select day::text as day, model, model_version as "modelVersion", was_told as "wasTold", metrics, health,
               graded_at as "gradedAt"
             from prediction_grades
             where game_id = $1 and day >= $2 and day <= coalesce($4, 'infinity'::date)
               and ($3::text is null or model = $3)
               and ($4::date is null or day < $4 or (model, -model_version) > ($5, -$6::int))
             order by day desc, model, model_version desc
             limit $7`,
    },
    [
      ...[gameId, sinceDay, model ?? null],
      ...[after?.day ?? null, after?.model ?? null, after?.modelVersion ?? null],
      limit,
    ],
  );
}
