import { payerAlive } from './apply-models.js';
import type { Artefact, ModelName, PredictionName } from './artefact.js';
import { bgBbAlive } from './bg-bb.js';
import type { Platt } from './calibration.js';
import { sentenceOf } from './explain-sentence.js';
import type {
  Contribution,
  PredictionExplanation,
  PredictionsExplanation,
  Regression,
} from './explanation.js';
import { FEATURES, featuresOf } from './features.js';
import { contribution, type LogisticModel } from './logistic.js';
import { PAYER_FEATURES, payerFeaturesOf } from './payer-features.js';
import {
  type ActivityStatistics,
  activityStatistics,
  type PayerStatistics,
  payerStatistics,
} from './player-statistics.js';
import type { PredictionFacts } from './prediction-facts.js';
import { ALL_TRUSTED, type DistrustedModels, type Predictions, score } from './score.js';

/** Why the predictions for a player are what they are: the same score, taken apart. */
export function explainPredictions(
  facts: PredictionFacts,
  artefact: Artefact,
  today: number,
  distrusted: DistrustedModels = ALL_TRUSTED,
  predictions: Predictions = score(facts, artefact, today, distrusted),
): PredictionsExplanation {
  const { models } = artefact;
  const activity = activityStatistics(facts, today);
  const purchases = payerStatistics(facts, today, artefact.currency) ?? null;
  const aliveByActivity =
    models.activity.state === 'ready' ? bgBbAlive(models.activity.bgBb, activity) : null;
  const aliveByPurchases =
    models.purchases.state === 'ready' && purchases !== null ? payerAlive(models.purchases, purchases) : null;
  const explain = (name: PredictionName): PredictionExplanation => {
    const prediction = predictions[name];
    const regression =
      prediction.state === 'ready'
        ? regressionOf(artefact, name, prediction.model, { activity, purchases })
        : null;
    const statistics = { activity, purchases, aliveByActivity, aliveByPurchases };
    return { ...prediction, regression, sentence: sentenceOf(name, prediction, regression, statistics) };
  };
  return {
    activity,
    purchases,
    aliveByActivity,
    aliveByPurchases,
    predictions: {
      churn: explain('churn'),
      spend: explain('spend'),
      purchases: explain('purchases'),
      revenue: explain('revenue'),
      revenue90: explain('revenue90'),
      payerAlive: explain('payerAlive'),
    },
  };
}

type Player = Readonly<{ activity: ActivityStatistics; purchases: PayerStatistics | null }>;

/** Null where the prediction is not by a regression: what payers do beyond `spend`, and `payerAlive`. */
function regressionOf(
  { models }: Artefact,
  name: PredictionName,
  modelName: ModelName,
  { activity, purchases }: Player,
): Regression | null {
  if (name === 'payerAlive') return null;
  if (modelName === 'purchases') {
    const model = models.purchases;
    if (name !== 'spend' || purchases === null) return null;
    if (model.state !== 'ready' || model.regression === undefined) return null;
    const { bgBb, logistic } = model.regression;
    const payer = { activity, history: purchases };
    const values = payerFeaturesOf(payer, { bgBb, mbgNbd: model.mbgNbd });
    const features = PAYER_FEATURES.map((feature) => ({ ...feature, told: feature.tell(payer) }));
    return takenApart(logistic, model.calibration, values, features);
  }
  const model = models[modelName];
  if (model.state !== 'ready' || model.logistic === null) return null;
  const features = FEATURES.map((feature) => ({ ...feature, told: feature.tell(activity) }));
  return takenApart(model.logistic, model.calibration, featuresOf(activity, model.bgBb), features);
}

type ToldFeature = Readonly<{ name: string; label: string; told: string }>;

function takenApart(
  logistic: LogisticModel,
  { slope, offset }: Platt,
  values: readonly number[],
  features: readonly ToldFeature[],
): Regression {
  const contributions = features.map(({ name: feature, label, told }, at): Contribution => {
    const [mean, deviation] = [logistic.means[at] as number, logistic.deviations[at] as number];
    return {
      feature,
      label,
      told,
      coefficient: logistic.coefficients[at] as number,
      standardised: ((values[at] as number) - mean) / deviation,
      logOdds: contribution(logistic, values, at),
    };
  });
  return {
    intercept: logistic.intercept,
    slope,
    offset,
    contributions: contributions
      .filter(({ logOdds }) => logOdds !== 0)
      .sort((one, other) => Math.abs(other.logOdds) - Math.abs(one.logOdds)),
  };
}
