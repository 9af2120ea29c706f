import { type LabelledTable, newton, type Ridge, type Standardisation, total } from './ridge-newton.js';
import { solvePositive } from './solve-positive.js';

/**
 * Ridge logistic regression: ln(p / (1−p)) = c₀ + Σ cⱼ (fⱼ − meanⱼ) / sdⱼ, minimising the negative log-likelihood plus
 * ridge / 2 · Σ (cⱼ − centreⱼ)². Features are standardised, so one ridge suits all of them. The centre is 0, or the model of a prior. A feature
 * without variance keeps the coefficient of the centre.
 */

/** Players of equal features: `positives` of the `players` have the label. */
export type LabelledCell = Readonly<{ features: readonly number[]; players: number; positives: number }>;

export type LogisticModel = Readonly<{
  intercept: number;
  /** One per feature, for the standardised value; 0 for a feature without variance. */
  coefficients: readonly number[];
  means: readonly number[];
  /** 1 for a feature without variance. */
  deviations: readonly number[];
}>;

/** As strong as a handful of players: it settles what the data leave open, and no more. */
const RIDGE = 1;
const MIN_VARIANCE = 1e-12;

/**
 * A model that the coefficients are drawn to. A ridge is as strong as so many players of even odds are, times four: it decides where there are
 * few players with the label, and not where there are many.
 */
export type LogisticPrior = Readonly<{ model: LogisticModel; ridge: number; interceptRidge: number }>;

export type PooledLogistic = Readonly<{
  model: LogisticModel;
  /** How much of the coefficients is decided by the data: 0 is the prior alone, 1 the data alone. */
  ownShare: number;
}>;

export function emptyTable(width: number, cells: number): LabelledTable {
  return {
    width,
    features: new Float64Array(width * cells),
    players: new Float64Array(cells),
    positives: new Float64Array(cells),
  };
}

/** `undefined` where the cells hold no player with the label, or none without it. */
export function fitLogistic(cells: readonly LabelledCell[]): LogisticModel | undefined {
  return fitLogisticTable(tableOf(cells));
}

export function tableOf(cells: readonly LabelledCell[]): LabelledTable {
  const table = emptyTable(cells[0]?.features.length ?? 0, cells.length);
  for (const [at, { features, players, positives }] of cells.entries()) {
    table.features.set(features, at * table.width);
    table.players[at] = players;
    table.positives[at] = positives;
  }
  return table;
}

/** The same for a table. */
function fitLogisticTable(table: LabelledTable): LogisticModel | undefined {
  const players = total(table.players);
  const positives = total(table.positives);
  if (!(positives > 0 && positives < players)) return undefined;
  const scale = standardisation(table, players);
  const centre = [Math.log(positives / (players - positives)), ...scale.kept.map(() => 0)];
  const ridge = { centre, strengths: [0, ...scale.kept.map(() => RIDGE)] };
  const { point } = newton({ table, scale, ridge }, centre);
  return modelAt(point, scale, { intercept: 0, coefficients: scale.means.map(() => 0) });
}

/** Draws the coefficients to those of a prior. `start`: the model of similar players, from which the way is shorter. */
export function fitPooledLogistic(
  table: LabelledTable,
  prior: LogisticPrior,
  start: LogisticModel = prior.model,
): PooledLogistic {
  const players = total(table.players);
  if (!(players > 0)) return { model: prior.model, ownShare: 0 };
  const found = standardisation(table, players);
  // Of a feature that does not vary yet, the prior knows more.
  const deviations = found.deviations.map((deviation, at) =>
    found.kept.includes(at) ? deviation : (prior.model.deviations[at] as number),
  );
  const scale = { ...found, deviations };
  const drawn = restandardised(prior.model, scale);
  const ridge = {
    centre: pointOf(drawn, scale),
    strengths: [prior.interceptRidge, ...scale.kept.map(() => prior.ridge)],
  };
  const { point, hessian } = newton({ table, scale, ridge }, pointOf(restandardised(start, scale), scale));
  return { model: modelAt(point, scale, drawn), ownShare: ownShareOf(hessian, ridge) };
}

type Coefficients = Pick<LogisticModel, 'intercept' | 'coefficients'>;

function pointOf({ intercept, coefficients }: Coefficients, { kept }: Standardisation): number[] {
  return [intercept, ...kept.map((at) => coefficients[at] as number)];
}

/** `others`: the coefficients of features without variance. */
function modelAt(
  point: readonly number[],
  { means, deviations, kept }: Standardisation,
  others: Coefficients,
): LogisticModel {
  const coefficients = [...others.coefficients];
  for (const [index, at] of kept.entries()) coefficients[at] = point[index + 1] as number;
  return { intercept: point[0] as number, coefficients, means, deviations };
}

/**
 * The effective number of coefficients that the data determine, divided by their number: the mean of 1 − strengthⱼ · (H⁻¹)ⱼⱼ ("The Elements of
 * Statistical Learning", 3.4.1).
 */
function ownShareOf(hessian: readonly (readonly number[])[], { strengths }: Ridge): number {
  const count = strengths.length - 1;
  if (count === 0) return 0;
  const shares = strengths.slice(1).map((strength, index) => {
    const unit = strengths.map((_, at) => (at === index + 1 ? 1 : 0));
    return 1 - strength * (solvePositive(hessian, unit)[index + 1] as number);
  });
  return Math.min(1, Math.max(0, shares.reduce((sum, share) => sum + share, 0) / count));
}

/** The same model for features with other means and deviations. */
function restandardised(model: LogisticModel, { means, deviations }: Standardisation): Coefficients {
  return {
    intercept: logisticLogOdds(model, means),
    coefficients: model.coefficients.map(
      (coefficient, at) => (coefficient / (model.deviations[at] as number)) * (deviations[at] as number),
    ),
  };
}

export function logisticLogOdds(model: LogisticModel, features: readonly number[]): number {
  let sum = model.intercept;
  for (let at = 0; at < features.length; at += 1) sum += contribution(model, features, at);
  return sum;
}

/** What one feature adds to the log-odds, compared with an average player. */
export function contribution(model: LogisticModel, features: readonly number[], at: number): number {
  const coefficient = model.coefficients[at] as number;
  if (coefficient === 0) return 0;
  return (
    (coefficient * ((features[at] as number) - (model.means[at] as number))) /
    (model.deviations[at] as number)
  );
}

export function probabilityOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Certainty is kept finite: beyond this, one player in 10¹² makes no difference. */
const MAX_LOG_ODDS = 27;

export function logOddsOf(probability: number): number {
  const logOdds = Math.log(probability) - Math.log1p(-probability);
  return Math.min(MAX_LOG_ODDS, Math.max(-MAX_LOG_ODDS, logOdds));
}

function standardisation({ width, features, players }: LabelledTable, count: number): Standardisation {
  const means = weightedSums(width, features, players, (value) => value).map((sum) => sum / count);
  const squares = weightedSums(width, features, players, (value, at) => (value - (means[at] as number)) ** 2);
  const variances = squares.map((sum) => sum / count);
  const isKept = means.map((mean, at) => (variances[at] as number) > MIN_VARIANCE * (1 + mean * mean));
  return {
    means,
    deviations: variances.map((variance, at) => (isKept[at] ? Math.sqrt(variance) : 1)),
    kept: means.flatMap((_, at) => (isKept[at] ? [at] : [])),
  };
}

/** Of each feature, over all players. */
function weightedSums(
  width: number,
  features: Float64Array,
  players: Float64Array,
  of: (value: number, at: number) => number,
): number[] {
  const sums = new Array<number>(width).fill(0);
  for (let row = 0; row < players.length; row += 1) {
    for (let at = 0; at < width; at += 1) {
      const value = of(features[row * width + at] as number, at);
      sums[at] = (sums[at] as number) + (players[row] as number) * value;
    }
  }
  return sums;
}
