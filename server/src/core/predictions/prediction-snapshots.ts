import type { Logger } from 'pino';
import { type ModelsInForce, UNTRAINED_MODELS } from '../../decide/predict/models-in-force.js';
import type { Pool } from '../../platform/db/pool.js';
import { createVersionSnapshots, type VersionSnapshots } from '../../platform/lib/version-snapshots.js';
import { findState } from './model-queries.js';
import { findModelsOf } from './models-at.js';
import { type ModelTexts, modelTexts } from './prediction-json.js';

/** The models of a game. They stay the same while its `predictionsVersion` stays the same. */
export type PredictionSnapshot = ModelsInForce &
  Readonly<{
    version: number;
    modelTexts: ModelTexts;
  }>;

export type PredictionSnapshots = VersionSnapshots<PredictionSnapshot>;

/** Caches the models of games by version. */
export function createPredictionSnapshots(pool: Pool, logger: Logger): PredictionSnapshots {
  return createVersionSnapshots(snapshotOf(0, UNTRAINED_MODELS), async (gameId, version) => {
    const state = await findState(pool, gameId, version);
    if (state === undefined) throw new Error(`game ${gameId} has no state ${version} of its predictions`);
    const { models, problem } = await findModelsOf(pool, gameId, state);
    if (problem !== null) {
      logger.error(
        { gameId, model: state.modelVersion, problem },
        'a prediction model cannot be used; players get averages until the next training',
      );
    }
    return snapshotOf(version, models);
  });
}

function snapshotOf(version: number, models: ModelsInForce): PredictionSnapshot {
  return { version, ...models, modelTexts: modelTexts(models.artefact, models.distrusted) };
}
