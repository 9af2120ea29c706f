import { payerAlive } from './apply-models.js';
import type { Artefact, ModelName, PredictionName } from './artefact.js';
import { bgBbAlive } from './bg-bb.js';
import { sentenceOf } from './explain-sentence.js';
import type {
  Contribution,
  PredictionExplanation,
  PredictionsExplanation,
  Regression,
} from './explanation.js';
import { FEATURES, featuresOf } from './features.js';
import { contribution } from './logistic.js';
import { type ActivityStatistics, activityStatistics, payerStatistics } from './player-statistics.js';
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
    const isByRegression =
      prediction.state === 'ready' &&
      (name === 'churn' || (name !== 'payerAlive' && prediction.model === 'conversion'));
    const regression = isByRegression ? regressionOf(artefact, prediction.model, activity) : null;
    const statistics = { activity, purchases, aliveByActivity, aliveByPurchases };
    return { ...prediction, regression, sentence: sentenceOf(name, prediction, regression, statistics) };
  };
  return {
    ...{ activity, purchases, aliveByActivity, aliveByPurchases },
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

function regressionOf(
  { models }: Artefact,
  name: ModelName,
  activity: ActivityStatistics,
): Regression | null {
  if (name === 'purchases') return null;
  const model = models[name];
  if (model.state !== 'ready' || model.logistic === null) return null;
  const { logistic, calibration } = model;
  const values = featuresOf(activity, model.bgBb);
  const contributions = FEATURES.map(({ name: feature, label, tell }, at): Contribution => {
    const [mean, deviation] = [logistic.means[at] as number, logistic.deviations[at] as number];
    return {
      ...{ feature, label, told: tell(activity) },
      coefficient: logistic.coefficients[at] as number,
      standardised: ((values[at] as number) - mean) / deviation,
      logOdds: contribution(logistic, values, at),
    };
  });
  return {
    ...{ intercept: logistic.intercept, slope: calibration.slope, offset: calibration.offset },
    contributions: contributions
      .filter(({ logOdds }) => logOdds !== 0)
      .sort((one, other) => Math.abs(other.logOdds) - Math.abs(one.logOdds)),
  };
}
