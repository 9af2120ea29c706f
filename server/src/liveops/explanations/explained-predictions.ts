import type { FoundModels } from '../../core/predictions/models-at.js';
import { predictionsOffFor } from '../../decide/attributes/children.js';
import { epochDay, type PlayerFacts } from '../../decide/attributes/player-facts.js';
import { predictionFacts } from '../../decide/attributes/player-history.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import {
  type GradedName,
  MODEL_NAMES,
  type ModelName,
  type PredictionName,
} from '../../decide/predict/artefact.js';
import { explainPredictions } from '../../decide/predict/explain.js';
import type { PredictionExplanation, PredictionsExplanation } from '../../decide/predict/explanation.js';
import { score, switchOff, toldValue } from '../../decide/predict/score.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { dateOf, utcDay } from '../../platform/lib/day.js';
import { type RateTable, rateOn } from '../../studio/money/exchange-rates.js';

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
  Readonly<{
    expiredAt: string | null;
    visibleToClients: boolean;
    /** An amount in the reporting currency, at the rate of the day; null where there is nothing to convert, or no rate. */
    reported: Readonly<{ currency: string; value: number; defaultValue: number }> | null;
  }>;

export function explainedPredictions(
  facts: PlayerFacts,
  { models, state }: FoundModels,
  document: CompiledDocument,
  { atMs, rates = null }: { atMs: number; rates?: RateTable | null },
): ExplainedPredictions {
  const { artefact, distrusted } = models;
  const today = epochDay(atMs);
  const known = predictionFacts(facts);
  const scored = switchOff(score(known, artefact, today, distrusted), predictionsOffFor(facts, document));
  const { predictions, ...statistics } = explainPredictions(known, artefact, today, distrusted, scored);
  const told = Object.entries(predictions).map(([name, { expiredAt, sentence, ...prediction }]) => {
    const reported = inReportingCurrency(prediction, rates, utcDay(atMs));
    return [
      name,
      {
        ...prediction,
        expiredAt: toTime(expiredAt),
        visibleToClients: document.visiblePredictions.has(name as PredictionName),
        reported,
        sentence: isOtherCurrency(prediction, reported)
          ? `${sentence} In the reporting currency it is ${reported.value.toFixed(2)} ${reported.currency}, at the rate of the day.`
          : sentence,
      },
    ];
  });
  const trained = MODEL_NAMES.map((name) => {
    const model = artefact.models[name];
    return [name, model.state === 'ready' ? dateOf(model.trainedDay) : null];
  });
  return {
    modelVersion: state?.modelVersion ?? null,
    inForceSince: toTime(state?.since ?? null),
    trainedDays: Object.fromEntries(trained) as ExplainedPredictions['trainedDays'],
    distrusted: [...distrusted],
    ...statistics,
    predictions: Object.fromEntries(told) as ExplainedPredictions['predictions'],
  };
}

type Amount = Pick<PredictionExplanation, 'unit' | 'value' | 'defaultValue'>;
type Reported = ExplainedPrediction['reported'];

/** Rules compare with the value in the currency of the model, so that stays, and this is for people. */
function inReportingCurrency(
  { unit, value, defaultValue }: Amount,
  rates: RateTable | null,
  day: string,
): Reported {
  const rate = rates === null ? undefined : rateOn(rates, unit, day);
  if (rates === null || rate === undefined) return null;
  const converted = (amount: number) => toldValue(amount * Number(rate));
  return { currency: rates.currency, value: converted(value), defaultValue: converted(defaultValue) };
}

function isOtherCurrency({ unit }: Amount, reported: Reported): reported is NonNullable<Reported> {
  return reported !== null && reported.currency !== unit;
}
