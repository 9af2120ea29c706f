import type { GradedName } from '../../decide/predict/artefact.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** A game with players, and the days until which its models were trained and graded. */
export type PredictedGame = {
  gameId: number;
  tenant: string;
  game: string;
  /** `2026-11-15`; null if never. */
  trainedDay: string | null;
  gradedDay: string | null;
};

/** Games that failed the last time come last, oldest failure first, so that they do not delay the others. */
export async function listPredictedGames(pool: Pool): Promise<PredictedGame[]> {
  return query<PredictedGame>(
    pool,
    {
      name: 'list_predicted_games',
      text: `select g.id as "gameId", t.slug as tenant, g.slug as game, w.trained_day::text as "trainedDay",
               w.graded_day::text as "gradedDay"
             from games g
             join tenants t on t.id = g.tenant_id
             join lateral (select from players p where p.game_id = g.id limit 1) p on true
             left join lateral (select * from prediction_work w where w.game_id = g.id offset 0) w on true
             order by w.failed_at nulls first, g.id`,
    },
    [],
  );
}

/** The models in force in a game, for the metrics. */
export type PredictionHealth = {
  tenant: string;
  game: string;
  trainedAt: number;
  distrusted: GradedName[];
  /** The grades of the newest graded day, one for each model: of the version in force or, until that is graded, of the one before it. */
  grades:
    | { model: GradedName; ece: number | null; brierSkill: number | null; totalRatio: number | null }[]
    | null;
};

export async function listPredictionHealth(pool: Pool, games: number): Promise<PredictionHealth[]> {
  return query<PredictionHealth>(
    pool,
    {
      name: 'list_prediction_health',
      text: `select t.slug as tenant, g.slug as game, m.trained_at as "trainedAt", s.distrusted,
               (
                 select json_agg(json_build_object('model', r.model, 'ece', r.metrics -> 'ece',
                   'brierSkill', r.metrics -> 'brierSkill', 'totalRatio', r.metrics -> 'totalRatio'))
                 from (
                   select distinct on (model) model, metrics
                   from prediction_grades
                   where game_id = g.id
                     and day = (select day from prediction_grades where game_id = g.id order by day desc limit 1)
                   order by model, model_version = s.model_version desc, model_version desc
                 ) r
               ) as grades
             from games g
             join tenants t on t.id = g.tenant_id
             join lateral (
               select * from prediction_states s where s.game_id = g.id and s.version = g.predictions_version offset 0
             ) s on true
             join lateral (
               select trained_at from prediction_models m where m.game_id = g.id order by version desc limit 1
             ) m on true
             where g.predictions_version > 0
             order by g.id
             limit $1`,
    },
    [games],
  );
}
