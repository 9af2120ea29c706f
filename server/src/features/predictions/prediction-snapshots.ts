import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { createVersionSnapshots, type VersionSnapshots } from '../../lib/version-snapshots.js';
import type { Artefact, ModelName } from '../../personalisation/predict/artefact.js';
import { readArtefact } from '../../personalisation/predict/read-artefact.js';
import { train } from '../../personalisation/predict/train.js';
import { findModel, findState } from './model-queries.js';
import { modelsJson } from './prediction-json.js';

/** What a game's predictions are made with, for as long as its `predictionsVersion` stays. */
export type PredictionSnapshot = Readonly<{
  version: number;
  artefact: Artefact;
  distrusted: ReadonlySet<ModelName>;
  /** `models` of the answers: the same for all players. */
  modelsJson: string;
}>;

export type PredictionSnapshots = VersionSnapshots<PredictionSnapshot>;

/** Nothing has been trained yet: what is told are the averages that every game begins with. */
export const UNTRAINED: Artefact = train({ day: 0, currency: null, origins: [] }, 0, null).artefact;

/** What the predictions of each game that is asked for are made with. */
export function createPredictionSnapshots(pool: Pool, logger: Logger): PredictionSnapshots {
  return createVersionSnapshots(snapshotOf(0, UNTRAINED, []), async (gameId, version) => {
    const state = await findState(pool, gameId, version);
    if (state === undefined) throw new Error(`game ${gameId} has no state ${version} of its predictions`);
    const model = await findModel(pool, gameId, state.modelVersion);
    const reading = readArtefact(model?.artefact);
    if (!reading.readable) {
      logger.error(
        { gameId, model: state.modelVersion, problem: reading.problem },
        'a model of predictions cannot be used: averages are told until the next training',
      );
    }
    return snapshotOf(version, reading.readable ? reading.artefact : UNTRAINED, state.distrusted);
  });
}

function snapshotOf(
  version: number,
  artefact: Artefact,
  distrusted: readonly ModelName[],
): PredictionSnapshot {
  const names = new Set(distrusted);
  return { version, artefact, distrusted: names, modelsJson: modelsJson(artefact, names) };
}
