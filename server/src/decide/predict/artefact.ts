import type { NbdParameters } from './beta-geometric-nbd.js';
import type { BgBbParameters } from './bg-bb.js';
import type { Platt } from './calibration.js';
import type { GammaGammaParameters } from './gamma-gamma.js';
import type { LogisticModel } from './logistic.js';
import type { ProbabilityMetrics } from './metrics.js';
import type { ModelSource } from './model-source.js';

/**
 * What training leaves behind: all that scoring needs beside the player. An artefact is never changed; a new training makes a
 * new version. It is kept as JSON and read back by `read-artefact.ts`.
 */
export type Artefact = Readonly<{
  format: typeof ARTEFACT_FORMAT;
  version: number;
  /** The last day that training has seen. */
  trainedDay: number;
  /** Of all amounts: the one most payers pay in. Null while nobody has paid. */
  currency: string | null;
  features: readonly string[];
  featuresHash: string;
  baseRates: BaseRates;
  models: Models;
  scales: Readonly<Record<PredictionName, Scale | null>>;
}>;

export const ARTEFACT_FORMAT = 1;

export const PREDICTION_NAMES = [
  'churn',
  'spend',
  'purchases',
  'revenue',
  'revenue90',
  'payerAlive',
] as const;
export type PredictionName = (typeof PREDICTION_NAMES)[number];

export const MODEL_NAMES = ['activity', 'purchases', 'conversion'] as const;
export type ModelName = (typeof MODEL_NAMES)[number];

/** What the models of spending say of more than a week, graded when that is over. The model, and the prediction. */
export const TOTAL_NAMES = [
  'purchases.purchases',
  'purchases.revenue',
  'purchases.revenue90',
  'conversion.purchases',
  'conversion.revenue',
  'conversion.revenue90',
] as const;
export type TotalName = (typeof TOTAL_NAMES)[number];

/** What may be trusted or not: a model as a whole, by its weeks, or one of its predictions by itself. */
export const GRADED_NAMES = [...MODEL_NAMES, ...TOTAL_NAMES] as const;
export type GradedName = ModelName | TotalName;

/** Whether it is a model as a whole. */
export function isModelName(name: GradedName): name is ModelName {
  return MODEL_NAMES.includes(name as ModelName);
}

/** The model behind it. */
export function modelOf(name: GradedName): ModelName {
  return name.split('.', 1)[0] as ModelName;
}

export type Models = Readonly<{
  activity: ActivityModel | MissingModel;
  purchases: PurchasesModel | MissingModel;
  conversion: ConversionModel | MissingModel;
}>;

/** There is not enough to learn from yet. */
export type MissingModel = Readonly<{ state: 'cold_start'; reason: string }>;

/** What every model says of itself. */
export type ModelCard = Readonly<{
  state: 'ready';
  algorithm: string;
  trainedDay: number;
  /** The days whose outcomes it was fitted and calibrated with. */
  window: Readonly<{ fromDay: number; toDay: number }>;
  /** Players that it was fitted with. */
  players: number;
  /** How it did on weeks that it had not seen, oldest first; the last one is that of this very model. */
  origins: readonly OriginMetrics[];
  /** Models of older versions do not say it. */
  source?: ModelSource | undefined;
}>;

export type OriginMetrics = ProbabilityMetrics & Readonly<{ originDay: number }>;

/** Churn: BG/BB, and a logistic regression. Models of older versions may go without the regression. */
export type ActivityModel = ModelCard &
  Readonly<{ bgBb: BgBbParameters; logistic: LogisticModel | null; calibration: Platt }>;

/** What payers do. */
export type PurchasesModel = ModelCard &
  Readonly<{
    mbgNbd: NbdParameters;
    /** Of `spend`: on purchases and activity (`payer-features.ts`). Models of older versions look at purchases alone. */
    regression?: PayerRegression | undefined;
    calibration: Platt;
    value: ValueModel | null;
    /** Purchases on a day with a purchase. */
    purchasesPerDay: number;
    factors: Readonly<{ purchases: number; revenue: number; revenue90: number }>;
  }>;

export type PayerRegression = Readonly<{ bgBb: BgBbParameters; logistic: LogisticModel }>;

/** What a purchase day of a payer is worth. */
export type ValueModel =
  | (Readonly<{ kind: 'gamma_gamma' }> & GammaGammaParameters)
  | Readonly<{ kind: 'shrunken_mean'; mean: number; reason: string }>;

/** Whether players who have not bought anything will, and what they spend then. */
export type ConversionModel = ModelCard &
  Readonly<{
    bgBb: BgBbParameters;
    logistic: LogisticModel;
    calibration: Platt;
    month: ConversionHorizon | null;
    quarter: ConversionHorizon | null;
  }>;

/** P(convert in the horizon) = 1 − (1 − P(convert in a week))^weeks, and what a new payer does until its end. */
export type ConversionHorizon = Readonly<{ weeks: number; purchases: number; revenue: number }>;

/** What holds for players on average, and is told of each one until there is a model. */
export type BaseRates = Readonly<{
  churn: number;
  payers: GroupRates;
  nonPayers: GroupRates;
  /** Whether `revenue90` is worked out from 28 days, because no 90 days are over. Artefacts of older versions do not say it. */
  isQuarterExtrapolated?: boolean | undefined;
}>;

export type GroupRates = Readonly<{
  players: number;
  spend: number;
  purchases: number;
  revenue: number;
  revenue90: number;
}>;

/** How values are distributed among players, in steps of 5 percent, and where the bands are. */
export type Scale = Readonly<{ quantiles: readonly number[]; lowBelow: number; highFrom: number }>;
export const QUANTILE_STEPS = 20;
