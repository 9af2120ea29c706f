import { DAY_MS } from '../../platform/lib/day.js';
import {
  churnOf,
  MONTH_DAYS,
  payerSpend,
  predictNonPayer,
  predictPayer,
  QUARTER_DAYS,
} from './apply-models.js';
import {
  type Artefact,
  type GradedName,
  type MissingModel,
  type ModelCard,
  type ModelName,
  type Models,
  PREDICTION_NAMES,
  type PredictionName,
} from './artefact.js';
import { CHURN_HORIZON_DAYS } from './features.js';
import { SPEND_HORIZON_DAYS } from './payer-features.js';
import {
  type ActivityStatistics,
  activityStatistics,
  type PayerStatistics,
  payerStatistics,
} from './player-statistics.js';
import type { PredictionFacts } from './prediction-facts.js';
import { type Band, bandOf, percentileOf } from './scales.js';

/**
 * The predictions for a player: a pure function of the facts about the player, the artefact, which of its models are trusted,
 * and the day. It says the same from midnight to midnight (UTC) unless one of these changes.
 */
export type Prediction = Readonly<{
  value: number;
  /** What holds on average for players such as this one. */
  defaultValue: number;
  /** Epoch milliseconds from which on `defaultValue` is the better guess; null where it is the value. */
  expiredAt: number | null;
  unit: string;
  horizonDays: number | null;
  percentile: number | null;
  band: Band | null;
  state: PredictionState;
  model: ModelName;
  /** Why there is no more than an average. */
  reason: string | null;
}>;

export type PredictionState = 'ready' | 'cold_start' | 'degraded' | 'off';
export type Predictions = Readonly<Record<PredictionName, Prediction>>;

/** Models, or single predictions of them, that have lately been wrong. */
export type DistrustedModels = ReadonlySet<GradedName>;
export const ALL_TRUSTED: DistrustedModels = new Set();

const NO_CURRENCY = 'XXX';

/** No model is as precise as seventeen digits look: players are told six, and rules compare what is told. */
export function toldValue(value: number): number {
  return Number(value.toPrecision(6));
}

const DEGRADED = 'these predictions have lately been wrong';
const OFF = 'the studio has switched this prediction off';
const AVERAGE = { expiredAt: null, percentile: null, band: null } as const;
const EXTRAPOLATED = 'the average of 90 days is extrapolated from 28 days, because no 90 days are over';
const TOO_EARLY = 'not enough days have passed yet to know what players spend in this time';

/** What the models say; null where they cannot say it, for this reason. */
type Guesses = Readonly<Record<PredictionName, number | null>> & Readonly<{ spendingReason: string | null }>;

export function score(
  facts: PredictionFacts,
  artefact: Artefact,
  today: number,
  distrusted: DistrustedModels = ALL_TRUSTED,
): Predictions {
  const { models, baseRates, scales } = artefact;
  const activity = activityStatistics(facts, today);
  const payer = payerStatistics(facts, today, artefact.currency);
  const guesses = payer === undefined ? guessNonPayer(models, activity) : guessPayer(models, activity, payer);
  const spender = payer === undefined ? 'conversion' : 'purchases';
  const averages = payer === undefined ? baseRates.nonPayers : baseRates.payers;
  const money = artefact.currency ?? NO_CURRENCY;
  const expiredAt = (today + 1) * DAY_MS;

  // Without spreading objects: that took most of the time.
  const told = (
    name: PredictionName,
    model: ModelName,
    defaultValue: number,
    unit: string,
    horizonDays: number | null,
  ): Prediction => {
    const guess = guesses[name];
    const isTrusted =
      distrusted.size === 0 || !(distrusted.has(model) || distrusted.has(`${model}.${name}` as GradedName));
    const isKnown = isTrusted && guess !== null && Number.isFinite(guess);
    const scale = isKnown ? scales[name] : null;
    const value = isKnown ? guess : defaultValue;
    const missing = isTrusted ? missingReason(models[model], guesses) : DEGRADED;
    const isExtrapolated = name === 'revenue90' && baseRates.isQuarterExtrapolated === true;
    return {
      value,
      defaultValue,
      expiredAt: isKnown ? expiredAt : null,
      unit,
      horizonDays,
      percentile: scale === null ? null : percentileOf(scale, value),
      band: scale === null ? null : bandOf(scale, value),
      state: isKnown ? 'ready' : isTrusted ? 'cold_start' : 'degraded',
      model,
      reason: isKnown ? null : isExtrapolated ? `${missing}; ${EXTRAPOLATED}` : missing,
    };
  };
  return {
    churn: told('churn', 'activity', baseRates.churn, 'probability', CHURN_HORIZON_DAYS),
    spend: told('spend', spender, averages.spend, 'probability', SPEND_HORIZON_DAYS),
    purchases: told('purchases', spender, averages.purchases, 'purchases', MONTH_DAYS),
    revenue: told('revenue', spender, averages.revenue, money, MONTH_DAYS),
    revenue90: told('revenue90', spender, averages.revenue90, money, QUARTER_DAYS),
    payerAlive: told('payerAlive', 'purchases', 0, 'probability', null),
  };
}

/** What is left of predictions of which the studio has switched some off. */
export function switchOff(predictions: Predictions, off: ReadonlySet<PredictionName>): Predictions {
  if (off.size === 0) return predictions;
  const left = PREDICTION_NAMES.map((name) => {
    const prediction = predictions[name];
    if (!off.has(name)) return [name, prediction];
    const { defaultValue: value } = prediction;
    return [name, { ...prediction, value, ...AVERAGE, state: 'off', reason: OFF }];
  });
  return Object.fromEntries(left) as Predictions;
}

function missingReason(model: ModelCard | MissingModel, { spendingReason }: Guesses): string {
  return model.state === 'cold_start' ? model.reason : (spendingReason ?? TOO_EARLY);
}

function guessPayer(models: Models, activity: ActivityStatistics, payer: PayerStatistics): Guesses {
  const { purchases: model } = models;
  const churn = guessChurn(models, activity);
  if (model.state === 'cold_start') return { ...NO_GUESSES, churn };
  const reason = model.value === null ? 'nobody has paid on two days yet' : null;
  const spend = payerSpend(model, { activity, history: payer });
  return { churn, spend, ...predictPayer(model, payer), spendingReason: reason };
}

function guessNonPayer(models: Models, activity: ActivityStatistics): Guesses {
  const { conversion: model } = models;
  const churn = guessChurn(models, activity);
  const payerAlive = models.purchases.state === 'ready' ? 0 : null;
  if (model.state === 'cold_start') return { ...NO_GUESSES, churn, payerAlive };
  return { churn, ...predictNonPayer(model, activity), payerAlive, spendingReason: null };
}

const NO_GUESSES: Guesses = {
  churn: null,
  spend: null,
  purchases: null,
  revenue: null,
  revenue90: null,
  payerAlive: null,
  spendingReason: null,
};

function guessChurn({ activity: model }: Models, statistics: ActivityStatistics): number | null {
  return model.state === 'ready' ? churnOf(model, statistics) : null;
}
