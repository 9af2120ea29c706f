/**
 * The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, "Numerical Optimization", 6.1) with a
 * backtracking line search (3.1). A coordinate that has reached a bound and would go beyond it stays there until the gradient turns.
 * Where `f` is not a number or infinite, a step is shortened.
 */
export type Evaluation = Readonly<{ value: number; gradient: readonly number[] }>;

export type Minimum = Readonly<{
  point: readonly number[];
  value: number;
  evaluations: number;
  /** False if it was given up: the point is the best that was seen. */
  converged: boolean;
}>;

/** Of each coordinate. */
export type Bounds = Readonly<{ low: number; high: number }>;

const UNBOUNDED: Bounds = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
/** Of a coordinate, before anything is known of the curvature. */
const FIRST_STEP = 0.25;
/** Of a coordinate: far from the minimum, curvature says little. */
const MAX_STEP = 1;
/** What a step may still gain at the end, relative to the value: a millionth of what one player more changes. */
const GAIN_TOLERANCE = 1e-12;
/** So many steps in a row must promise no more: the first estimates of the curvature may be far too large. */
const LAST_STEPS = 2;
/** The share of the gain promised by the slope that a step must bring (Armijo). */
const MIN_SHARE = 1e-4;
const MAX_SHORTENINGS = 25;
const MAX_EVALUATIONS = 500;
/** A search that gains less than this share of the value in so many evaluations creeps along a ridge, whose end makes no difference. */
const CREEPING_GAIN = 1e-6;
const CREEPING_EVALUATIONS = 100;
/** Of the gradient, relative to the value: no step along a steeper one is in vain but for rounding. */
const FLAT = 1e-6;

type Place = Readonly<{ point: readonly number[] }> & Evaluation;

export function minimise(
  f: (point: readonly number[]) => Evaluation,
  start: readonly number[],
  bounds: Bounds = UNBOUNDED,
): Minimum {
  let evaluations = 0;
  const evaluate = (point: readonly number[]): Place => {
    evaluations += 1;
    const { value, gradient } = f(point);
    const isUsable = Number.isFinite(value) && gradient.every(Number.isFinite);
    return { point, value: isUsable ? value : Number.POSITIVE_INFINITY, gradient };
  };
  let here = evaluate(start.map((value) => clamp(value, bounds)));
  const end = (converged: boolean): Minimum => {
    const { point, value } = here;
    return { point, value, evaluations, converged: converged && Number.isFinite(value) };
  };
  if (!Number.isFinite(here.value)) return end(false);
  /** The estimate of the inverse of the second derivatives; undefined before there is one. */
  let inverse: number[][] | undefined;
  let held: readonly boolean[] = start.map(() => false);
  let small = 0;
  let mark = { value: here.value, evaluations };
  while (evaluations < MAX_EVALUATIONS) {
    if (evaluations - mark.evaluations >= CREEPING_EVALUATIONS) {
      if (mark.value - here.value <= CREEPING_GAIN * Math.abs(here.value)) return end(true);
      mark = { value: here.value, evaluations };
    }
    const nowHeld = here.gradient.map((slope, at) => isHeld(here.point[at] as number, slope, bounds));
    // The curvature among the coordinates that are free is another one if these are others.
    if (nowHeld.some((isNow, at) => isNow !== held[at])) inverse = undefined;
    held = nowHeld;
    const slopes = without(held, here.gradient);
    const direction = directionOf(slopes, inverse);
    const promise = -dot(direction, slopes);
    if (!(promise > 0)) return end(promise === 0);
    if (inverse !== undefined) {
      small = promise <= GAIN_TOLERANCE * (Math.abs(here.value) + GAIN_TOLERANCE) ? small + 1 : 0;
      if (small >= LAST_STEPS) return end(true);
    }
    const next = stepFrom(here, shortened(direction), evaluate, bounds);
    if (next === undefined) {
      // Rounding hides what is left to gain, or the estimate of the curvature is bad.
      if (inverse === undefined || small > 0) return end(isFlat(slopes, here.value));
      inverse = undefined;
      continue;
    }
    inverse = updated(inverse, held, here, next);
    here = next;
  }
  return end(false);
}

function clamp(value: number, { low, high }: Bounds): number {
  return Math.min(high, Math.max(low, value));
}

function isHeld(value: number, slope: number, { low, high }: Bounds): boolean {
  return (value <= low && slope > 0) || (value >= high && slope < 0);
}

/** 0 for coordinates that are held. */
function without(held: readonly boolean[], values: readonly number[]): number[] {
  return values.map((value, at) => (held[at] ? 0 : value));
}

function directionOf(
  slopes: readonly number[],
  inverse: readonly (readonly number[])[] | undefined,
): number[] {
  if (inverse !== undefined) {
    return slopes.map((slope, at) => (slope === 0 ? 0 : -dot(inverse[at] as readonly number[], slopes)));
  }
  const steepest = Math.max(...slopes.map(Math.abs));
  return slopes.map((slope) => (steepest === 0 ? 0 : (-slope / steepest) * FIRST_STEP));
}

function shortened(direction: readonly number[]): readonly number[] {
  const longest = Math.max(...direction.map(Math.abs));
  return longest <= MAX_STEP ? direction : direction.map((step) => (step / longest) * MAX_STEP);
}

/** A place along the direction that is lower; undefined if there is none. */
function stepFrom(
  here: Place,
  direction: readonly number[],
  evaluate: (point: readonly number[]) => Place,
  bounds: Bounds,
): Place | undefined {
  let factor = 1;
  for (let shortening = 0; shortening < MAX_SHORTENINGS; shortening += 1) {
    const point = here.point.map((value, at) => clamp(value + factor * (direction[at] as number), bounds));
    const slope = dot(
      here.gradient,
      point.map((value, at) => value - (here.point[at] as number)),
    );
    const next = evaluate(point);
    if (next.value <= here.value + MIN_SHARE * slope) return slope < 0 ? next : undefined;
    // The minimum of the parabola through both values and the slope; a tenth where there is no value.
    const best = -slope / (2 * (next.value - here.value - slope));
    factor *= best > 0.1 ? Math.min(best, 0.5) : 0.1;
  }
  return undefined;
}

function isFlat(slopes: readonly number[], value: number): boolean {
  return slopes.every((slope) => Math.abs(slope) <= FLAT * (Math.abs(value) + FLAT));
}

/** The estimate after a step (Nocedal and Wright, 6.17 and 6.20). A step along which the slope did not rise says nothing. */
function updated(
  inverse: number[][] | undefined,
  held: readonly boolean[],
  from: Place,
  to: Place,
): number[][] | undefined {
  const step = to.point.map((value, at) => value - (from.point[at] as number));
  const change = without(
    held,
    to.gradient.map((slope, at) => slope - (from.gradient[at] as number)),
  );
  const curvature = dot(step, change);
  if (!(curvature > 0)) return inverse;
  const scale = curvature / dot(change, change);
  const before = inverse ?? step.map((_, row) => step.map((__, column) => (row === column ? scale : 0)));
  const bent = before.map((line) => dot(line, change));
  const growth = (1 + dot(change, bent) / curvature) / curvature;
  return before.map((line, row) =>
    line.map((value, column) => {
      const [one, other] = [step[row] as number, step[column] as number];
      const mixed = one * (bent[column] as number) + (bent[row] as number) * other;
      return value + growth * one * other - mixed / curvature;
    }),
  );
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
