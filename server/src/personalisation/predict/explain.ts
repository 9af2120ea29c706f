import { payerAlive } from './apply-models.js';
import type { Artefact, ModelName, PredictionName } from './artefact.js';
import { bgBbAlive } from './bg-bb.js';
import { FEATURES, featuresOf } from './features.js';
import { contribution, type LogisticModel } from './logistic.js';
import {
  type ActivityStatistics,
  activityStatistics,
  type PayerStatistics,
  payerStatistics,
} from './player-statistics.js';
import type { PredictionFacts } from './prediction-facts.js';
import { ALL_TRUSTED, type DistrustedModels, type Prediction, score } from './score.js';

/** Why the predictions for a player are what they are. */
export type PredictionsExplanation = Readonly<{
  version: number;
  activity: ActivityStatistics;
  /** Null for a player who has not bought anything. */
  purchases: PayerStatistics | null;
  /** P(alive) by the model of activity and, for payers, by that of purchases; null where there is no model. */
  aliveByActivity: number | null;
  aliveByPurchases: number | null;
  predictions: Readonly<Record<PredictionName, PredictionExplanation>>;
}>;

export type PredictionExplanation = Prediction &
  Readonly<{
    sentence: string;
    /** Of a logistic regression, the largest first; empty for other models. */
    contributions: readonly Contribution[];
  }>;

/** What a feature adds to the log-odds: coefficient × standardised value. */
export type Contribution = Readonly<{ feature: string; label: string; value: number; logOdds: number }>;

/** Smaller ones are not worth a sentence. */
const MIN_MENTIONED = 0.05;
const MAX_MENTIONED = 3;

export function explainPredictions(
  facts: PredictionFacts,
  artefact: Artefact,
  today: number,
  distrusted: DistrustedModels = ALL_TRUSTED,
): PredictionsExplanation {
  const { models } = artefact;
  const activity = activityStatistics(facts, today);
  const purchases = payerStatistics(facts, today, artefact.currency) ?? null;
  const predictions = score(facts, artefact, today, distrusted);
  const explain = (name: PredictionName): PredictionExplanation => {
    const prediction = predictions[name];
    const contributions =
      prediction.state === 'ready' && (name === 'churn' || prediction.model === 'conversion')
        ? contributionsTo(artefact, prediction.model, activity)
        : [];
    return { ...prediction, contributions, sentence: sentenceOf(name, prediction, contributions) };
  };
  return {
    version: artefact.version,
    activity,
    purchases,
    aliveByActivity: models.activity.state === 'ready' ? bgBbAlive(models.activity.bgBb, activity) : null,
    aliveByPurchases:
      models.purchases.state === 'ready' && purchases !== null
        ? payerAlive(models.purchases, purchases)
        : null,
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

function contributionsTo(
  { models }: Artefact,
  name: ModelName,
  activity: ActivityStatistics,
): Contribution[] {
  if (name === 'purchases') return [];
  const model = models[name];
  if (model.state !== 'ready' || model.logistic === null) return [];
  const logistic: LogisticModel = model.logistic;
  const values = featuresOf(activity, model.bgBb);
  return FEATURES.map(({ name: feature, label }, at) => ({
    feature,
    label,
    value: values[at] as number,
    logOdds: contribution(logistic, values, at),
  }))
    .filter(({ logOdds }) => logOdds !== 0)
    .sort((one, other) => Math.abs(other.logOdds) - Math.abs(one.logOdds));
}

const SUBJECTS: Record<PredictionName, string> = {
  churn: 'The probability of not being active in the next 7 days',
  spend: 'The probability of a purchase in the next 7 days',
  purchases: 'The expected number of purchases in the next 28 days',
  revenue: 'The expected spend in the next 28 days',
  revenue90: 'The expected spend in the next 90 days',
  payerAlive: 'The probability that this payer will ever buy again',
};

function sentenceOf(
  name: PredictionName,
  prediction: Prediction,
  contributions: readonly Contribution[],
): string {
  const { value, state, reason, unit } = prediction;
  const amount = unit === 'probability' ? `${(100 * value).toFixed(1)} %` : value.toFixed(2);
  const is = `${SUBJECTS[name]} is ${amount}${unit.length === 3 ? ` ${unit}` : ''}`;
  if (state !== 'ready') return `${is}, as for an average player: ${reason}.`;
  const mentioned = contributions
    .filter(({ logOdds }) => Math.abs(logOdds) >= MIN_MENTIONED)
    .slice(0, MAX_MENTIONED)
    .map(({ label, logOdds }) => `${label} ${logOdds > 0 ? 'raises' : 'lowers'} it`);
  return mentioned.length === 0 ? `${is}.` : `${is}: ${mentioned.join(', ')}.`;
}
