import { dateOf } from '../../lib/day.js';
import { predictionsOffFor } from '../../personalisation/attributes/children.js';
import { epochDay, type PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import { predictionFacts } from '../../personalisation/attributes/player-history.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import {
  type GradedName,
  MODEL_NAMES,
  type ModelName,
  type PredictionName,
} from '../../personalisation/predict/artefact.js';
import { explainPredictions } from '../../personalisation/predict/explain.js';
import type {
  PredictionExplanation,
  PredictionsExplanation,
} from '../../personalisation/predict/explanation.js';
import { score, switchOff } from '../../personalisation/predict/score.js';
import type { FoundModels } from '../predictions/models-at.js';

/** The predictions of a player with their reasons, by the models that were in force at the instant. */
export type ExplainedPredictions = Omit<PredictionsExplanation, 'predictions'> &
  Readonly<{
    /** The version of the models, and since when it is in force; null before the first training. */
    modelVersion: number | null;
    inForceSince: string | null;
    /** By model: the last day of its training data; null if there is no model. */
    trainedDays: Readonly<Record<ModelName, string | null>>;
    /** Models whose recent predictions were wrong. */
    distrusted: readonly GradedName[];
    predictions: Readonly<Record<PredictionName, ExplainedPrediction>>;
  }>;

export type ExplainedPrediction = Omit<PredictionExplanation, 'expiredAt'> &
  Readonly<{ expiredAt: string | null; visibleToClients: boolean }>;

export function explainedPredictions(
  facts: PlayerFacts,
  { models, state }: FoundModels,
  document: CompiledDocument,
  atMs: number,
): ExplainedPredictions {
  const { artefact, distrusted } = models;
  const today = epochDay(atMs);
  const known = predictionFacts(facts);
  const scored = switchOff(score(known, artefact, today, distrusted), predictionsOffFor(facts, document));
  const { predictions, ...statistics } = explainPredictions(known, artefact, today, distrusted, scored);
  const told = Object.entries(predictions).map(([name, { expiredAt, ...prediction }]) => [
    name,
    {
      ...prediction,
      expiredAt: isoOrNull(expiredAt),
      visibleToClients: document.visiblePredictions.has(name as PredictionName),
    },
  ]);
  const trained = MODEL_NAMES.map((name) => {
    const model = artefact.models[name];
    return [name, model.state === 'ready' ? dateOf(model.trainedDay) : null];
  });
  return {
    modelVersion: state?.modelVersion ?? null,
    inForceSince: isoOrNull(state?.since ?? null),
    trainedDays: Object.fromEntries(trained) as ExplainedPredictions['trainedDays'],
    distrusted: [...distrusted],
    ...statistics,
    predictions: Object.fromEntries(told) as ExplainedPredictions['predictions'],
  };
}

function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
