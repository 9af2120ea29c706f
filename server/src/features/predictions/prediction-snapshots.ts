import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
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

export type PredictionSnapshots = {
  /** The state of exactly this version. Readers learn the version with the player's row, so it is never stale. */
  get(gameId: number, version: number): PredictionSnapshot | Promise<PredictionSnapshot>;
};

/** Nothing has been trained yet: what is told are the averages that every game begins with. */
export const UNTRAINED: Artefact = train({ day: 0, currency: null, origins: [] }, 0, null).artefact;

/** Keeps one state of each game in memory; states are immutable, so nothing has to be told to forget. */
export function createPredictionSnapshots(pool: Pool, logger: Logger): PredictionSnapshots {
  const kept = new Map<number, PredictionSnapshot>();
  const loading = new Map<string, Promise<PredictionSnapshot>>();
  const untrained = snapshotOf(0, UNTRAINED, []);

  const load = async (gameId: number, version: number): Promise<PredictionSnapshot> => {
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
    const loaded = snapshotOf(version, reading.readable ? reading.artefact : UNTRAINED, state.distrusted);
    kept.set(gameId, loaded);
    return loaded;
  };

  return {
    get(gameId, version) {
      if (version === 0) return untrained;
      const known = kept.get(gameId);
      if (known?.version === version) return known;
      const key = `${gameId}:${version}`;
      const pending = loading.get(key) ?? load(gameId, version).finally(() => loading.delete(key));
      loading.set(key, pending);
      return pending;
    },
  };
}

function snapshotOf(
  version: number,
  artefact: Artefact,
  distrusted: readonly ModelName[],
): PredictionSnapshot {
  const names = new Set(distrusted);
  return { version, artefact, distrusted: names, modelsJson: modelsJson(artefact, names) };
}
