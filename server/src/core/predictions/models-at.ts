import { type ModelsInForce, UNTRAINED, UNTRAINED_MODELS } from '../../decide/predict/models-in-force.js';
import { type ArtefactReading, readArtefact } from '../../decide/predict/read-artefact.js';
import type { Client, Pool } from '../../platform/db/pool.js';
import { findCurrentState, findModel, findStateAt, type PredictionState } from './model-queries.js';

export type FoundModels = Readonly<{
  models: ModelsInForce;
  /** The state of the models; null before the first training. */
  state: PredictionState | null;
  /** Why the artefact cannot be used. Players get averages then. */
  problem: string | null;
}>;

const NOTHING: FoundModels = { models: UNTRAINED_MODELS, state: null, problem: null };

/** The models of a game that are in force now. */
export async function findCurrentModels(db: Pool, gameId: number): Promise<FoundModels> {
  const state = await findCurrentState(db, gameId);
  return state === undefined ? NOTHING : findModelsOf(db, gameId, state);
}

/** The models of a game that were in force at an instant. */
export async function findModelsAt(db: Pool | Client, gameId: number, atMs: number): Promise<FoundModels> {
  const state = await findStateAt(db, gameId, atMs);
  return state === undefined ? NOTHING : findModelsOf(db, gameId, state);
}

export async function findModelsOf(
  db: Pool | Client,
  gameId: number,
  state: PredictionState,
): Promise<FoundModels> {
  const model = await findModel(db, gameId, state.modelVersion);
  const reading: ArtefactReading =
    model === undefined
      ? { readable: false, problem: `model ${state.modelVersion} is no longer kept` }
      : readArtefact(model.artefact);
  const models = {
    artefact: reading.readable ? reading.artefact : UNTRAINED,
    distrusted: new Set(state.distrusted),
    since: state.since,
  };
  return { models, state, problem: reading.readable ? null : reading.problem };
}
