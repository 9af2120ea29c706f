import type { GradedName } from '../../decide/predict/artefact.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import type { TrainingReport } from './training-report.js';

/** A training and its outcome, without the artefact, which is large. */
export type ModelSummary = {
  version: number;
  trainedAt: number;
  author: string;
  trainedDay: string;
  players: number;
  allPlayers: number;
  payers: number;
  allPayers: number;
  durationMs: number;
  isPromoted: boolean;
  report: TrainingReport;
};

const SUMMARY_COLUMNS = `version, trained_at as "trainedAt", author, trained_day::text as "trainedDay",
  players::float8 as players, all_players::float8 as "allPlayers", payers::float8 as payers,
  all_payers::float8 as "allPayers", duration_ms as "durationMs", is_promoted as "isPromoted", report`;

/** The newest trainings, or the trainings before one. */
export async function listModels(
  db: Pool,
  gameId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<ModelSummary[]> {
  return query<ModelSummary>(
    db,
    {
      name: 'list_prediction_models',
      text: `select ${SUMMARY_COLUMNS} from prediction_models
             where game_id = $1 and ($2::int is null or version < $2)
             order by version desc
             limit $3`,
    },
    [gameId, before, limit],
  );
}

export type StoredModel = ModelSummary & { artefact: unknown };

export async function findModel(
  db: Pool | Client,
  gameId: number,
  version: number,
): Promise<StoredModel | undefined> {
  const rows = await query<StoredModel>(
    db,
    {
      name: 'find_prediction_model',
      text: `select ${SUMMARY_COLUMNS}, artefact from prediction_models where game_id = $1 and version = $2`,
    },
    [gameId, version],
  );
  return rows[0];
}

export type NewModel = Omit<StoredModel, 'version' | 'artefact'> & {
  gameId: number;
  version: number;
  artefact: unknown;
};

/** The caller must have locked the game, so that version numbers are unique and have no gaps. */
export async function insertModel(client: Client, model: NewModel): Promise<void> {
  await client.query(
    `insert into prediction_models (game_id, version, trained_at, author, trained_day, players, all_players, payers,
       all_payers, duration_ms, is_promoted, report, artefact)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      model.gameId,
      model.version,
      new Date(model.trainedAt),
      model.author,
      model.trainedDay,
      model.players,
      model.allPlayers,
      model.payers,
      model.allPayers,
      model.durationMs,
      model.isPromoted,
      JSON.stringify(model.report),
      JSON.stringify(model.artefact),
    ],
  );
}

export async function findNewestModelVersion(
  client: Client | DedicatedConnection,
  gameId: number,
): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'select version from prediction_models where game_id = $1 order by version desc limit 1',
    [gameId],
  );
  return rows[0]?.version ?? 0;
}

/** The version of the models in force, and the models of it that are not trusted. */
export type PredictionState = {
  version: number;
  since: number;
  author: string;
  cause: StateCause;
  modelVersion: number;
  distrusted: GradedName[];
};
export type StateCause = 'train' | 'roll_back' | 'grade';

const STATE_COLUMNS = `version, since, author, cause, model_version as "modelVersion", distrusted`;

export async function findState(
  db: Pool | Client,
  gameId: number,
  version: number,
): Promise<PredictionState | undefined> {
  const rows = await query<PredictionState>(
    db,
    {
      name: 'find_prediction_state',
      text: `select ${STATE_COLUMNS} from prediction_states where game_id = $1 and version = $2`,
    },
    [gameId, version],
  );
  return rows[0];
}

/** The state in force; undefined before the first training. */
export async function findCurrentState(
  db: Pool | Client,
  gameId: number,
): Promise<PredictionState | undefined> {
  const rows = await query<PredictionState>(
    db,
    {
      name: 'find_current_prediction_state',
      text: `select ${STATE_COLUMNS} from prediction_states where game_id = $1 order by version desc limit 1`,
    },
    [gameId],
  );
  return rows[0];
}

/** The state that was in force at an instant; undefined before the first training. */
export async function findStateAt(
  db: Pool | Client,
  gameId: number,
  atMs: number,
): Promise<PredictionState | undefined> {
  const rows = await query<PredictionState>(
    db,
    {
      name: 'find_prediction_state_at',
      text: `select ${STATE_COLUMNS} from prediction_states where game_id = $1 and since <= $2
             order by version desc limit 1`,
    },
    [gameId, new Date(atMs)],
  );
  return rows[0];
}

/** The newest states, newest first. */
export async function listStates(pool: Pool, gameId: number, limit: number): Promise<PredictionState[]> {
  return query<PredictionState>(
    pool,
    {
      name: 'list_prediction_states',
      text: `select ${STATE_COLUMNS} from prediction_states where game_id = $1 order by version desc limit $2`,
    },
    [gameId, limit],
  );
}

export type NewState = Omit<PredictionState, 'version'>;

/** Puts the next state in force. The caller must have locked the game. */
export async function insertNextState(client: Client, gameId: number, next: NewState): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `update games set predictions_version = predictions_version + 1 where id = $1
     returning predictions_version as version`,
    [gameId],
  );
  const version = rows[0]?.version;
  if (version === undefined) throw new Error(`there is no game ${gameId}`);
  await client.query(
    `insert into prediction_states (game_id, version, since, author, cause, model_version, distrusted)
     select $1, $2, greatest($3, max(since)), $4, $5, $6, $7 from prediction_states where game_id = $1`,
    [gameId, version, new Date(next.since), next.author, next.cause, next.modelVersion, next.distrusted],
  );
  return version;
}
