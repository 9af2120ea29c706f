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

/** `undefined` where the cells hold no player with the label, or none without it. */
export function fitLogistic(cells: readonly LabelledCell[]): LogisticModel | undefined {
  const players = cells.reduce((sum, cell) => sum + cell.players, 0);
  const positives = cells.reduce((sum, cell) => sum + cell.positives, 0);
  if (!(positives > 0 && positives < players)) return undefined;
  const { means, deviations, kept } = standardisation(cells, players);
  const rows = cells.map(({ features, players: weight, positives: hits }) => ({
    values: [
      1,
      ...kept.map((at) => ((features[at] as number) - (means[at] as number)) / (deviations[at] as number)),
    ],
    weight,
    hits,
  }));
  const solution = newton(rows, [Math.log(positives / (players - positives)), ...kept.map(() => 0)]);
  const coefficients = means.map(() => 0);
  for (const [index, at] of kept.entries()) coefficients[at] = solution[index + 1] as number;
  return { intercept: solution[0] as number, coefficients, means, deviations };
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

function standardisation(
  cells: readonly LabelledCell[],
  players: number,
): { means: number[]; deviations: number[]; kept: number[] } {
  const size = cells[0]?.features.length ?? 0;
  const means: number[] = [];
  const deviations: number[] = [];
  const kept: number[] = [];
  for (let at = 0; at < size; at += 1) {
    const mean = cells.reduce((sum, cell) => sum + cell.players * (cell.features[at] as number), 0) / players;
    const variance =
      cells.reduce((sum, cell) => sum + cell.players * ((cell.features[at] as number) - mean) ** 2, 0) /
      players;
    const isKept = variance > MIN_VARIANCE * (1 + mean * mean);
    means.push(mean);
    deviations.push(isKept ? Math.sqrt(variance) : 1);
    if (isKept) kept.push(at);
  }
  return { means, deviations, kept };
}

type Row = Readonly<{ values: readonly number[]; weight: number; hits: number }>;

function newton(rows: readonly Row[], start: readonly number[]): readonly number[] {
  let point = start;
  let value = objective(rows, point);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    const { gradient, hessian } = derivatives(rows, point);
    const total = rows.reduce((sum, { weight }) => sum + weight, 0);
    if (gradient.every((slope) => Math.abs(slope) <= GRADIENT_TOLERANCE * total)) return point;
    const step = solvePositive(hessian, gradient);
    // The objective is convex: a step that is too long is halved until it goes down.
    let factor = 1;
    let next = point;
    let nextValue = value;
    for (let halving = 0; halving < MAX_HALVINGS; halving += 1) {
      next = point.map((coefficient, at) => coefficient - factor * (step[at] as number));
      nextValue = objective(rows, next);
      if (nextValue < value) break;
      factor /= 2;
    }
    if (!(nextValue < value)) return point;
    point = next;
    value = nextValue;
  }
  return point;
}

function logOdds(row: Row, point: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < point.length; at += 1) sum += (row.values[at] as number) * (point[at] as number);
  return sum;
}

function objective(rows: readonly Row[], point: readonly number[]): number {
  let sum = 0;
  for (const row of rows) {
    const odds = logOdds(row, point);
    // −ln(1−p) = ln(1 + e^odds) and −ln p = ln(1 + e^−odds), written so that they do not overflow.
    const softplus = odds > 0 ? odds + Math.log1p(Math.exp(-odds)) : Math.log1p(Math.exp(odds));
    sum += row.weight * softplus - row.hits * odds;
  }
  for (let at = 1; at < point.length; at += 1) sum += (RIDGE / 2) * (point[at] as number) ** 2;
  return sum;
}

function derivatives(
  rows: readonly Row[],
  point: readonly number[],
): { gradient: number[]; hessian: number[][] } {
  const size = point.length;
  const gradient = point.map((coefficient, at) => (at === 0 ? 0 : RIDGE * coefficient));
  const hessian = point.map((_, at) => point.map((__, other) => (at === other && at > 0 ? RIDGE : 0)));
  for (const row of rows) {
    const p = probabilityOf(logOdds(row, point));
    const residual = row.weight * p - row.hits;
    const curvature = row.weight * p * (1 - p);
    for (let at = 0; at < size; at += 1) {
      const value = row.values[at] as number;
      gradient[at] = (gradient[at] as number) + residual * value;
      const line = hessian[at] as number[];
      for (let other = 0; other <= at; other += 1) {
        line[other] = (line[other] as number) + curvature * value * (row.values[other] as number);
      }
    }
  }
  return { gradient, hessian };
}
