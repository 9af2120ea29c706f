import { DAY_MS } from '../../lib/day.js';
import {
  type Artefact,
  MODEL_NAMES,
  type ModelName,
  PREDICTION_NAMES,
} from '../../personalisation/predict/artefact.js';
import type { Prediction, Predictions } from '../../personalisation/predict/score.js';

/** The two parts of an answer as they are sent. */

export function predictionsJson(predictions: Predictions): string {
  return JSON.stringify(
    Object.fromEntries(PREDICTION_NAMES.map((name) => [name, toldPrediction(predictions[name])])),
  );
}

/** Without the reason, which tells how many players a game has: that is for the studio only. */
function toldPrediction({ expiredAt, reason: _, value, defaultValue, ...rest }: Prediction) {
  return {
    value: rounded(value),
    defaultValue: rounded(defaultValue),
    expiredAt: expiredAt === null ? null : new Date(expiredAt).toISOString(),
    ...rest,
  };
}

/** No model is as precise as seventeen digits look. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

export function modelsJson(artefact: Artefact, distrusted: ReadonlySet<ModelName>): string {
  return JSON.stringify(
    Object.fromEntries(
      MODEL_NAMES.map((name) => [name, toldModel(artefact.models[name], distrusted.has(name))]),
    ),
  );
}

function toldModel(model: Artefact['models'][ModelName], isDistrusted: boolean) {
  if (model.state === 'cold_start') {
    return { algorithm: 'average', trainedAt: null, players: 0, quality: null, health: 'unknown' };
  }
  const newest = model.origins.at(-1);
  return {
    algorithm: model.algorithm,
    // The end of the last day that it was trained with.
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
