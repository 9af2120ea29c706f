import {
  type Artefact,
  MODEL_NAMES,
  type ModelName,
  modelOf,
  PREDICTION_NAMES,
  type PredictionName,
} from '../../decide/predict/artefact.js';
import type { ModelSource } from '../../decide/predict/model-source.js';
import {
  type DistrustedModels,
  type Prediction,
  type Predictions,
  toldValue,
} from '../../decide/predict/score.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** The two parts of a response, as JSON. */

/** The predictions that are visible to clients. */
export function predictionsJson(predictions: Predictions, visible: ReadonlySet<PredictionName>): string {
  const told = PREDICTION_NAMES.filter((name) => visible.has(name));
  return JSON.stringify(Object.fromEntries(told.map((name) => [name, toldPrediction(predictions[name])])));
}

/** Without the reason, which shows how many players a game has: only the studio may see that. */
function toldPrediction({ expiredAt, reason: _, value, defaultValue, ...rest }: Prediction) {
  return {
    value: toldValue(value),
    defaultValue: toldValue(defaultValue),
    expiredAt: expiredAt === null ? null : new Date(expiredAt).toISOString(),
    ...rest,
  };
}

export type ModelTexts = Readonly<Record<ModelName, string>>;

/** The JSON of each model, which is the same for all players. */
export function modelTexts(artefact: Artefact, distrusted: DistrustedModels): ModelTexts {
  // Also where only some of what it predicts is not trusted: the state of each prediction says which.
  const red = new Set([...distrusted].map(modelOf));
  return Object.fromEntries(
    MODEL_NAMES.map((name) => [name, JSON.stringify(toldModel(artefact.models[name], red.has(name)))]),
  ) as ModelTexts;
}

/** The models behind the predictions that are visible to clients. */
export function modelsJson(
  texts: ModelTexts,
  predictions: Predictions,
  visible: ReadonlySet<PredictionName>,
): string {
  const behind = new Set([...visible].map((name) => predictions[name].model));
  const told = MODEL_NAMES.filter((name) => behind.has(name));
  return `{${told.map((name) => `"${name}":${texts[name]}`).join()}}`;
}

/** Without the share of the own players, which shows about how many there are. */
const SOURCE_LABELS: Readonly<Record<ModelSource['kind'], string>> = {
  prior: ' (shipped prior)',
  pooled: ' (pooled with the shipped prior)',
  own: '',
};

function toldModel(model: Artefact['models'][ModelName], isDistrusted: boolean) {
  if (model.state === 'cold_start') {
    // A model that was wrong may have been withdrawn since.
    const health = isDistrusted ? 'red' : 'unknown';
    return { algorithm: 'average', trainedAt: null, players: 0, quality: null, health };
  }
  const newest = model.origins.at(-1);
  return {
    algorithm: `${model.algorithm}${SOURCE_LABELS[model.source?.kind ?? 'own']}`,
    // The end of the last day of the training data.
    trainedAt: new Date((model.trainedDay + 1) * DAY_MS).toISOString(),
    players: model.players,
    quality:
      newest === undefined
        ? null
        : {
            auc: newest.auc,
            brierSkill: newest.brierSkill,
            ece: newest.ece,
            totalRatio: newest.totalRatio,
          },
    health: isDistrusted ? 'red' : 'green',
  };
}
