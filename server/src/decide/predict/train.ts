import { churnOf, payerSpend, predictNonPayer, predictPayer } from './apply-models.js';
import {
  type ActivityModel,
  ARTEFACT_FORMAT,
  type Artefact,
  type ConversionModel,
  type MissingModel,
  MODEL_NAMES,
  type ModelCard,
  type ModelName,
  type Models,
  PREDICTION_NAMES,
  type PredictionName,
  type PurchasesModel,
} from './artefact.js';
import { haveRatesChanged, measureBaseRates } from './base-rates.js';
import { FEATURE_NAMES, FEATURES_HASH, isPresent } from './features.js';
import { type Calibrated, type Training, trainModel } from './model-kind.js';
import type { ModelReport } from './model-report.js';
import { scaleOf, type WeightedValue } from './scales.js';
import { rollingSplits } from './splits.js';
import { activityKind, createBgBbFits } from './train-activity.js';
import { conversionHorizons, conversionKind } from './train-conversion.js';
import { purchasesDetails, purchasesKind } from './train-purchases.js';
import type { OriginCells, TrainingData } from './training-data.js';

/** Training as a pure function: cells in, an artefact and a report out. */
export type TrainingResult = Readonly<{
  artefact: Artefact;
  /** Whether the artefact should replace the present one: a model of it is new or withdrawn, or the averages have changed. */
  isPromoted: boolean;
  report: readonly ModelReport[];
}>;

export function train(data: TrainingData, version: number, present: Artefact | null): TrainingResult {
  const splits = rollingSplits(data);
  const bgBbOf = createBgBbFits();
  const used = keepable(present, data.currency);
  const activity = trainModel(activityKind(bgBbOf), splits, data.day, ready(used?.activity));
  const purchases = trainModel(purchasesKind(bgBbOf), splits, data.day, ready(used?.purchases));
  const conversion = trainModel(conversionKind(bgBbOf), splits, data.day, ready(used?.conversion));
  const fitted = {
    activity: built(
      activity,
      (model, card): ActivityModel => ({
        ...card,
        algorithm: 'BG/BB and logistic regression',
        bgBb: model.bgBb,
        logistic: model.logistic,
        calibration: model.calibration,
      }),
    ),
    purchases: built(purchases, (model, card): PurchasesModel => {
      const details = purchasesDetails(model, data);
      const { mbgNbd, regression, calibration } = model;
      const algorithm = [
        'MBG/NBD',
        ...(regression === undefined ? [] : ['logistic regression']),
        ...(details.value?.kind === 'gamma_gamma' ? ['Gamma-Gamma'] : []),
      ].join(', ');
      return { ...card, algorithm, mbgNbd, regression, calibration, ...details };
    }),
    conversion: built(
      conversion,
      (model, card): ConversionModel => ({
        ...card,
        algorithm: 'logistic regression',
        bgBb: model.bgBb,
        logistic: model.logistic,
        calibration: model.calibration,
        ...conversionHorizons(model, data),
      }),
    ),
  };
  const models: Models = {
    activity: chosen(activity, fitted.activity, used?.activity),
    purchases: chosen(purchases, fitted.purchases, used?.purchases),
    conversion: chosen(conversion, fitted.conversion, used?.conversion),
  };
  const trainings = { activity, purchases, conversion };
  const isAnyChanged = MODEL_NAMES.some(
    (name) => trainings[name].outcome === 'promoted' || isPresentWithdrawn(trainings[name]),
  );
  const artefact: Artefact = {
    format: ARTEFACT_FORMAT,
    version,
    trainedDay: data.day,
    currency: data.currency,
    features: FEATURE_NAMES,
    featuresHash: FEATURES_HASH,
    baseRates: measureBaseRates(data),
    models,
    scales: measureScales(models, data.origins.at(-1)),
  };
  return {
    artefact,
    // Averages must be fresh also where every model is kept: players get them when a model loses trust.
    isPromoted: isAnyChanged || haveRatesChanged(present, artefact),
    report: MODEL_NAMES.map((name) => reportOf(name, trainings[name], fitted[name], used?.[name])),
  };
}

/** The models that may be kept. Amounts of another currency would be told as amounts of this one. */
function keepable(present: Artefact | null, currency: string | null): Partial<Models> | undefined {
  if (present === null || present.currency === currency) return present?.models;
  return { activity: present.models.activity };
}

function ready<Model extends ModelCard>(model: Model | MissingModel | undefined): Model | undefined {
  return model?.state === 'ready' ? model : undefined;
}

/** The model that was fitted, whether it is promoted or refused. */
function built<Parts, Model extends ModelCard>(
  training: Training<Parts>,
  build: (model: Calibrated<Parts>, card: Omit<ModelCard, 'algorithm'>) => Model,
): Model | undefined {
  return training.outcome === 'cold_start' ? undefined : build(training.model, training.card);
}

/** The new model if it is promoted, else the one in use, else why there is none. */
function chosen<Model extends ModelCard>(
  training: Training<unknown>,
  fitted: Model | undefined,
  present: Model | MissingModel | undefined,
): Model | MissingModel {
  if (training.outcome === 'promoted' && fitted !== undefined) return fitted;
  const kept = isPresentWithdrawn(training) ? undefined : ready(present);
  return kept ?? { state: 'cold_start', reason: training.reason };
}

function isPresentWithdrawn(training: Training<unknown>): boolean {
  return training.outcome === 'refused' && training.isPresentWithdrawn;
}

function reportOf(
  model: ModelName,
  training: Training<unknown>,
  fitted: Extract<Models[ModelName], ModelCard> | undefined,
  present: ModelCard | MissingModel | undefined,
): ModelReport {
  const { outcome, reason } = training;
  const isPresentKept = outcome !== 'promoted' && present?.state === 'ready' && !isPresentWithdrawn(training);
  const report = {
    model,
    outcome,
    reason,
    isPresentKept,
    origins: fitted?.origins ?? [],
    ...(fitted?.source === undefined ? {} : { source: fitted.source }),
  };
  if (outcome !== 'refused' || fitted === undefined) return report;
  const { state: _, origins: __, ...refusedModel } = fitted;
  return { ...report, refusedModel };
}

/** How predictions are distributed among the players of the newest origin. */
function measureScales(
  { activity, purchases, conversion }: Models,
  newest: OriginCells | undefined,
): Artefact['scales'] {
  const values: Record<PredictionName, WeightedValue[]> = {
    churn: [],
    spend: [],
    purchases: [],
    revenue: [],
    revenue90: [],
    payerAlive: [],
  };
  const add = (predicted: Partial<Record<PredictionName, number | null>>, players: number) => {
    for (const name of PREDICTION_NAMES) {
      const value = predicted[name] ?? null;
      if (value !== null) values[name].push({ value, players });
    }
  };
  for (const cell of newest?.activity ?? []) {
    if (activity.state === 'ready' && isPresent(cell)) add({ churn: churnOf(activity, cell) }, cell.players);
    if (conversion.state === 'ready' && !cell.isPayer) add(predictNonPayer(conversion, cell), cell.players);
  }
  if (purchases.state === 'ready') {
    for (const cell of newest?.buyers ?? []) add({ spend: payerSpend(purchases, cell) }, cell.players);
    for (const cell of newest?.payers ?? []) add(predictPayer(purchases, cell), cell.players);
  }
  const scales = PREDICTION_NAMES.map((name) => [name, scaleOf(name, values[name])]);
  return Object.fromEntries(scales) as Artefact['scales'];
}
