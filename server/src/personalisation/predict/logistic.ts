import { solvePositive } from './solve-positive.js';

/**
 * Ridge logistic regression by Newton's method (iteratively reweighted least squares; Hastie, Tibshirani and Friedman, "The
 * Elements of Statistical Learning", 4.4.1): ln(p / (1−p)) = c₀ + Σ cⱼ (fⱼ − meanⱼ) / sdⱼ, minimising the negative log-likelihood
 * plus ridge / 2 · Σ cⱼ². Features are standardised, so one ridge suits all of them. One without variance is left out: its
 * coefficient is 0.
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
const MAX_ITERATIONS = 50;
const MAX_HALVINGS = 30;
const GRADIENT_TOLERANCE = 1e-9;
const MIN_VARIANCE = 1e-12;
/** Where a step leaves more of the slope than this, second derivatives are worked out again. They are most of the work. */
const MIN_FALL = 0.1;

/** Cells in columns, because there may be hundreds of thousands: the features of one cell stand after those of the other. */
export type LabelledTable = Readonly<{
  width: number;
  features: Float64Array;
  players: Float64Array;
  positives: Float64Array;
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
  const table = emptyTable(cells[0]?.features.length ?? 0, cells.length);
  for (const [at, { features, players, positives }] of cells.entries()) {
    table.features.set(features, at * table.width);
    table.players[at] = players;
    table.positives[at] = positives;
  }
  return fitLogisticTable(table);
}

/** The same for a table. `start`: the model of similar players, from which the way is shorter. */
export function fitLogisticTable(table: LabelledTable, start?: LogisticModel): LogisticModel | undefined {
  const players = total(table.players);
  const positives = total(table.positives);
  if (!(positives > 0 && positives < players)) return undefined;
  const scale = standardisation(table, players);
  const { means, deviations, kept } = scale;
  const baseRate = {
    intercept: Math.log(positives / (players - positives)),
    coefficients: means.map(() => 0),
  };
  const { intercept, coefficients: begun } = start === undefined ? baseRate : restandardised(start, scale);
  const solution = newton(table, scale, [intercept, ...kept.map((at) => begun[at] as number)]);
  const coefficients = means.map(() => 0);
  for (const [index, at] of kept.entries()) coefficients[at] = solution[index + 1] as number;
  return { intercept: solution[0] as number, coefficients, means, deviations };
}

/** The same model for features with other means and deviations. */
function restandardised(
  model: LogisticModel,
  { means, deviations }: Standardisation,
): Pick<LogisticModel, 'intercept' | 'coefficients'> {
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

type Standardisation = Readonly<{
  means: readonly number[];
  deviations: readonly number[];
  /** The features with variance. */
  kept: readonly number[];
}>;

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

function total(column: Float64Array): number {
  let sum = 0;
  for (const value of column) sum += value;
  return sum;
}

/** What is minimised, at a point: an intercept and the coefficients of the kept features. */
type Place = Readonly<{
  point: readonly number[];
  value: number;
  gradient: readonly number[];
  /** The lower triangle of the second derivatives, if they were asked for. */
  hessian: readonly (readonly number[])[] | undefined;
}>;

function newton(table: LabelledTable, scale: Standardisation, start: readonly number[]): readonly number[] {
  const tolerance = GRADIENT_TOLERANCE * total(table.players);
  const full = (point: readonly number[]) => evaluate(table, scale, point, true);
  let here = full(start);
  let hessian = here.hessian ?? [];
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    const slope = steepest(here);
    if (slope <= tolerance) return here.point;
    const next = stepDown(table, scale, here, solvePositive(hessian, here.gradient));
    if (next === undefined && here.hessian !== undefined) return here.point;
    // Near the solution, second derivatives change little, and those of the step before do.
    const isSlow = next === undefined || steepest(next) > MIN_FALL * slope;
    here = isSlow ? full((next ?? here).point) : next;
    hessian = here.hessian ?? hessian;
  }
  return here.point;
}

/** The objective is convex: a step that is too long is halved until it goes down. Undefined if it does not. */
function stepDown(
  table: LabelledTable,
  scale: Standardisation,
  { point, value }: Place,
  step: readonly number[],
): Place | undefined {
  let factor = 1;
  for (let halving = 0; halving < MAX_HALVINGS; halving += 1) {
    const moved = point.map((coefficient, at) => coefficient - factor * (step[at] as number));
    const next = evaluate(table, scale, moved, false);
    if (next.value < value) return next;
    factor /= 2;
  }
  return undefined;
}

function steepest({ gradient }: Place): number {
  return Math.max(...gradient.map(Math.abs));
}

function evaluate(
  { width, features, players, positives }: LabelledTable,
  { means, deviations, kept }: Standardisation,
  point: readonly number[],
  withHessian: boolean,
): Place {
  const size = point.length;
  const columns = Int32Array.from(kept);
  const shifts = Float64Array.from(kept, (at) => means[at] as number);
  const factors = Float64Array.from(kept, (at) => 1 / (deviations[at] as number));
  const coefficients = Float64Array.from(point);
  // One row at a time: 1, then the standardised features.
  const line = new Float64Array(size).fill(1);
  const gradient = new Float64Array(size);
  // The lower triangle, line after line.
  const triangle = new Float64Array((size * (size + 1)) / 2);
  let value = 0;
  for (let row = 0; row < players.length; row += 1) {
    const from = row * width;
    let odds = coefficients[0] as number;
    for (let at = 1; at < size; at += 1) {
      const raw = features[from + (columns[at - 1] as number)] as number;
      const standardised = (raw - (shifts[at - 1] as number)) * (factors[at - 1] as number);
      line[at] = standardised;
      odds += (coefficients[at] as number) * standardised;
    }
    const weight = players[row] as number;
    const hits = positives[row] as number;
    // −ln(1−p) = ln(1 + e^odds) and −ln p = ln(1 + e^−odds), written so that they do not overflow.
    const small = Math.exp(-Math.abs(odds));
    value += weight * (Math.max(odds, 0) + Math.log1p(small)) - hits * odds;
    const p = (odds > 0 ? 1 : small) / (1 + small);
    const residual = weight * p - hits;
    for (let at = 0; at < size; at += 1) {
      gradient[at] = (gradient[at] as number) + residual * (line[at] as number);
    }
    if (!withHessian) continue;
    const curvature = (weight * small) / ((1 + small) * (1 + small));
    for (let at = 0, entry = 0; at < size; at += 1) {
      const share = curvature * (line[at] as number);
      for (let other = 0; other <= at; other += 1, entry += 1) {
        triangle[entry] = (triangle[entry] as number) + share * (line[other] as number);
      }
    }
  }
  for (let at = 1; at < size; at += 1) {
    value += (RIDGE / 2) * (point[at] as number) ** 2;
    gradient[at] = (gradient[at] as number) + RIDGE * (point[at] as number);
  }
  const hessian = withHessian ? linesOf(triangle, size) : undefined;
  return { point, value, gradient: [...gradient], hessian };
}

/** The lines of the lower triangle, with the ridge. */
function linesOf(triangle: Float64Array, size: number): number[][] {
  return Array.from({ length: size }, (_, at) => {
    const entries = [...triangle.subarray((at * (at + 1)) / 2, ((at + 1) * (at + 2)) / 2)];
    if (at > 0) entries[at] = (entries[at] as number) + RIDGE;
    return entries;
  });
}
