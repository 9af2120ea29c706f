/**
 * The simplex search of Nelder and Mead, "A simplex method for function minimization" (The Computer Journal 7, 1965), begun
 * again from the best point with a smaller simplex until that gains nothing more: a simplex may collapse before the minimum.
 * It needs no gradient, which the likelihoods here do not give cheaply, and has four parameters at most to find.
 * Where `f` is not a number or infinite, the search turns away.
 */
export type Minimum = Readonly<{
  point: readonly number[];
  value: number;
  evaluations: number;
  /** False if it was given up: the point is the best that was seen. */
  converged: boolean;
}>;

type Vertex = { point: number[]; value: number };

const FIRST_STEP = 0.5;
const LAST_STEP = 0.02;
/** Of the value, relative: far less than what one player more changes. */
const VALUE_TOLERANCE = 1e-9;
/** Of each coordinate, in the last search. */
const POINT_TOLERANCE = 1e-4;
/** Of each coordinate, in those before it, as a share of their step: they only have to find the neighbourhood. */
const ROUGH_SHARE = 0.1;
const MAX_EVALUATIONS = 3_000;

export function minimise(f: (point: readonly number[]) => number, start: readonly number[]): Minimum {
  let evaluations = 0;
  const evaluate = (point: number[]): Vertex => {
    evaluations += 1;
    const value = f(point);
    return { point, value: Number.isNaN(value) ? Number.POSITIVE_INFINITY : value };
  };
  let best = evaluate([...start]);
  let step = FIRST_STEP;
  for (;;) {
    const tolerance = step > LAST_STEP ? ROUGH_SHARE * step : POINT_TOLERANCE;
    const found = search(evaluate, best, step, tolerance, () => evaluations >= MAX_EVALUATIONS);
    const gain = best.value - found.value;
    best = found;
    const isDone = step <= LAST_STEP && !(gain > Math.abs(best.value) * VALUE_TOLERANCE * 10);
    if (isDone || evaluations >= MAX_EVALUATIONS) {
      return { ...best, evaluations, converged: isDone && Number.isFinite(best.value) };
    }
    step = Math.max(step / 5, LAST_STEP);
  }
}

function search(
  evaluate: (point: number[]) => Vertex,
  start: Vertex,
  step: number,
  tolerance: number,
  isOver: () => boolean,
): Vertex {
  const size = start.point.length;
  const simplex = [start];
  for (let index = 0; index < size; index += 1) {
    simplex.push(evaluate(start.point.map((value, at) => (at === index ? value + step : value))));
  }
  for (;;) {
    simplex.sort((one, other) => one.value - other.value);
    const best = simplex[0] as Vertex;
    const worst = simplex[size] as Vertex;
    if (isOver() || isSmall(simplex, best, worst, tolerance)) return best;
    const centre = start.point.map(
      (_, at) => simplex.slice(0, size).reduce((sum, { point }) => sum + (point[at] as number), 0) / size,
    );
    const along = (factor: number) =>
      evaluate(centre.map((value, at) => value + factor * (value - (worst.point[at] as number))));
    const reflected = along(1);
    if (reflected.value < best.value) {
      const expanded = along(2);
      simplex[size] = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < (simplex[size - 1] as Vertex).value) {
      simplex[size] = reflected;
    } else {
      const contracted = along(reflected.value < worst.value ? 0.5 : -0.5);
      if (contracted.value < Math.min(reflected.value, worst.value)) simplex[size] = contracted;
      else {
        for (let index = 1; index <= size; index += 1) {
          const { point } = simplex[index] as Vertex;
          simplex[index] = evaluate(point.map((value, at) => (value + (best.point[at] as number)) / 2));
        }
      }
    }
  }
}

function isSmall(simplex: readonly Vertex[], best: Vertex, worst: Vertex, tolerance: number): boolean {
  // Where all are infinite, there is nothing to find.
  if (!Number.isFinite(best.value)) return true;
  const isLevel = worst.value - best.value <= VALUE_TOLERANCE * (Math.abs(best.value) + VALUE_TOLERANCE);
  if (!isLevel && tolerance === POINT_TOLERANCE) return false;
  return simplex.every(({ point }) =>
    point.every((value, at) => Math.abs(value - (best.point[at] as number)) < tolerance),
  );
}
