import {
  type ActivityModel,
  ARTEFACT_FORMAT,
  type Artefact,
  type ConversionHorizon,
  type ConversionModel,
  type GroupRates,
  type MissingModel,
  type ModelCard,
  type OriginMetrics,
  type PayerRegression,
  type PurchasesModel,
  QUANTILE_STEPS,
  type Scale,
  type ValueModel,
} from './artefact.js';
import {
  boolean,
  integer,
  list,
  literal,
  nonEmptyList,
  nullable,
  number,
  object,
  oneOf,
  oneOfTexts,
  optional,
  positive,
  type Reader,
  text,
  UnreadableValue,
} from './artefact-readers.js';
import type { Platt } from './calibration.js';
import { FEATURE_NAMES, FEATURES_HASH } from './features.js';
import type { LogisticModel } from './logistic.js';
import { type ModelSource, SOURCE_KINDS } from './model-source.js';
import { PAYER_FEATURES } from './payer-features.js';

/**
 * Reads an artefact back from JSON. A damaged one, or one of other features than this build has, is refused as a whole: half a
 * model would still give numbers.
 */
export type ArtefactReading =
  | Readonly<{ readable: true; artefact: Artefact }>
  | Readonly<{ readable: false; problem: string }>;

export function readArtefact(value: unknown): ArtefactReading {
  try {
    const artefact = readWhole(value, 'artefact');
    if (artefact.featuresHash !== FEATURES_HASH || artefact.features.join() !== FEATURE_NAMES.join()) {
      return { readable: false, problem: 'the model was trained with other features: train it again' };
    }
    return { readable: true, artefact };
  } catch (error) {
    if (error instanceof UnreadableValue) return { readable: false, problem: error.message };
    throw error;
  }
}

const probability = number(0, 1);
const amount = number(0);

const platt = object<Platt>({ slope: positive, offset: number() });
const logisticOf = (features: number) =>
  object<LogisticModel>({
    intercept: number(),
    coefficients: list(number(), features),
    means: list(number(), features),
    deviations: list(positive, features),
  });
const logistic = logisticOf(FEATURE_NAMES.length);
const bgBb = object<ActivityModel['bgBb']>({
  alpha: positive,
  beta: positive,
  gamma: positive,
  delta: positive,
});
const mbgNbd = object<PurchasesModel['mbgNbd']>({ r: positive, alpha: positive, a: positive, b: positive });

const origin = object<OriginMetrics>({
  originDay: integer,
  players: amount,
  baseRate: probability,
  auc: nullable(probability),
  brierSkill: nullable(number()),
  ece: probability,
  eceOfChance: probability,
  logLoss: amount,
  totalRatio: nullable(amount),
  deciles: nonEmptyList(object({ players: positive, predicted: probability, observed: probability })),
});

const card = {
  state: literal('ready'),
  algorithm: text,
  trainedDay: integer,
  window: object<ModelCard['window']>({ fromDay: integer, toDay: integer }),
  players: integer,
  origins: nonEmptyList(origin),
  source: optional(object<ModelSource>({ kind: oneOfTexts(SOURCE_KINDS), ownShare: probability })),
};

const missing: Reader<MissingModel> = object({ state: literal('cold_start'), reason: text });

const value: Reader<ValueModel> = oneOf<ValueModel>('kind', {
  // E[M] is only defined for q > 1.
  gamma_gamma: object({ kind: literal('gamma_gamma'), p: positive, q: number(1), v: positive }),
  shrunken_mean: object({ kind: literal('shrunken_mean'), mean: amount, reason: text }),
});

const horizon = object<ConversionHorizon>({ weeks: positive, purchases: amount, revenue: amount });

const activityModel = object<ActivityModel>({
  ...card,
  bgBb,
  logistic: nullable(logistic),
  calibration: platt,
});
const purchasesModel = object<PurchasesModel>({
  ...card,
  mbgNbd,
  regression: optional(object<PayerRegression>({ bgBb, logistic: logisticOf(PAYER_FEATURES.length) })),
  calibration: platt,
  value: nullable(value),
  purchasesPerDay: number(1),
  factors: object<PurchasesModel['factors']>({ purchases: positive, revenue: positive, revenue90: positive }),
});
const conversionModel = object<ConversionModel>({
  ...card,
  bgBb,
  logistic,
  calibration: platt,
  month: nullable(horizon),
  quarter: nullable(horizon),
});

const group = object<GroupRates>({
  players: amount,
  spend: probability,
  purchases: amount,
  revenue: amount,
  revenue90: amount,
});

const scale = nullable(
  object<Scale>({ quantiles: list(amount, QUANTILE_STEPS + 1), lowBelow: amount, highFrom: amount }),
);

const readWhole = object<Artefact>({
  format: literal(ARTEFACT_FORMAT),
  version: integer,
  trainedDay: integer,
  currency: nullable(text),
  features: list(text),
  featuresHash: text,
  baseRates: object<Artefact['baseRates']>({
    churn: probability,
    payers: group,
    nonPayers: group,
    isQuarterExtrapolated: optional(boolean),
  }),
  models: object<Artefact['models']>({
    activity: oneOf<ActivityModel | MissingModel>('state', { ready: activityModel, cold_start: missing }),
    purchases: oneOf<PurchasesModel | MissingModel>('state', { ready: purchasesModel, cold_start: missing }),
    conversion: oneOf<ConversionModel | MissingModel>('state', {
      ready: conversionModel,
      cold_start: missing,
    }),
  }),
  scales: object<Artefact['scales']>({
    churn: scale,
    spend: scale,
    purchases: scale,
    revenue: scale,
    revenue90: scale,
    payerAlive: scale,
  }),
});
