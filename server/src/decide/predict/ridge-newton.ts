import { solvePositive } from './solve-positive.js';

/**
 * The minimum of the negative log-likelihood of a logistic regression plus Σ strengthⱼ / 2 · (cⱼ − centreⱼ)², by Newton's method
 * (iteratively reweighted least squares; Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 4.4.1).
 */
export type RidgeProblem = Readonly<{ table: LabelledTable; scale: Standardisation; ridge: Ridge }>;

/** Cells in columns, because there may be hundreds of thousands: the features of one cell stand after those of the other. */
export type LabelledTable = Readonly<{
  width: number;
  features: Float64Array;
  players: Float64Array;
  positives: Float64Array;
}>;

export type Standardisation = Readonly<{
  means: readonly number[];
  deviations: readonly number[];
  /** The features with variance. */
  kept: readonly number[];
}>;

/** Of the intercept and the coefficients of the kept features. */
export type Ridge = Readonly<{ centre: readonly number[]; strengths: readonly number[] }>;

/** The intercept and the coefficients of the kept features, and the lower triangle of the second derivatives there or nearby. */
export type Minimum = Readonly<{ point: readonly number[]; hessian: readonly (readonly number[])[] }>;

const MAX_ITERATIONS = 50;
const MAX_HALVINGS = 30;
const GRADIENT_TOLERANCE = 1e-9;
/** Where a step leaves more of the slope than this, second derivatives are worked out again. They are most of the work. */
const MIN_FALL = 0.1;

/** What is minimised, at a point: an intercept and the coefficients of the kept features. */
type Place = Readonly<{
  point: readonly number[];
  value: number;
  gradient: readonly number[];
  /** The lower triangle of the second derivatives, if they were asked for. */
  hessian: readonly (readonly number[])[] | undefined;
}>;

/** The place of the minimum, with second derivatives. */
export function newton(problem: RidgeProblem, start: readonly number[]): Minimum {
  const tolerance = GRADIENT_TOLERANCE * total(problem.table.players);
  const full = (point: readonly number[]) => evaluate(problem, point, true);
  let here = full(start);
  let hessian = here.hessian ?? [];
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    const slope = steepest(here);
    if (slope <= tolerance) break;
    const next = stepDown(problem, here, solvePositive(hessian, here.gradient));
    if (next === undefined && here.hessian !== undefined) break;
    // Near the solution, second derivatives change little, and those of the step before do.
    const isSlow = next === undefined || steepest(next) > MIN_FALL * slope;
    here = isSlow ? full((next ?? here).point) : next;
    hessian = here.hessian ?? hessian;
  }
  return { point: here.point, hessian };
}

/** The objective is convex: a step that is too long is halved until it goes down. Undefined if it does not. */
function stepDown(
  problem: RidgeProblem,
  { point, value }: Place,
  step: readonly number[],
): Place | undefined {
  let factor = 1;
  for (let halving = 0; halving < MAX_HALVINGS; halving += 1) {
    const moved = point.map((coefficient, at) => coefficient - factor * (step[at] as number));
    const next = evaluate(problem, moved, false);
    if (next.value < value) return next;
    factor /= 2;
  }
  return undefined;
}

function steepest({ gradient }: Place): number {
  return Math.max(...gradient.map(Math.abs));
}

function evaluate(
  { table, scale, ridge }: RidgeProblem,
  point: readonly number[],
  withHessian: boolean,
): Place {
  const { width, features, players, positives } = table;
  const { means, deviations, kept } = scale;
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
  for (let at = 0; at < size; at += 1) {
    const strength = ridge.strengths[at] as number;
    const away = (point[at] as number) - (ridge.centre[at] as number);
    value += (strength / 2) * away * away;
    gradient[at] = (gradient[at] as number) + strength * away;
  }
  const hessian = withHessian ? linesOf(triangle, ridge.strengths) : undefined;
  return { point, value, gradient: [...gradient], hessian };
}

/** The lines of the lower triangle, with the ridge. */
function linesOf(triangle: Float64Array, strengths: readonly number[]): number[][] {
  return strengths.map((strength, at) => {
    const entries = [...triangle.subarray((at * (at + 1)) / 2, ((at + 1) * (at + 2)) / 2)];
    entries[at] = (entries[at] as number) + strength;
    return entries;
  });
}

/** Over all players. */
export function total(column: Float64Array): number {
  let sum = 0;
  for (const value of column) sum += value;
  return sum;
}
