import { solvePositive } from '../../../src/decide/predict/solve-positive.js';

const STEP = 1e-3;

/** The standard errors of the logarithms of parameters at the maximum of a likelihood, from its curvature there. */
export function standardErrors(
  logLikelihood: (values: readonly number[]) => number,
  parameters: readonly number[],
): number[] {
  const logs = parameters.map(Math.log);
  const at = (moves: readonly [index: number, step: number][]): number => {
    const moved = [...logs];
    for (const [index, step] of moves) moved[index] = (moved[index] ?? 0) + step;
    return logLikelihood(moved.map(Math.exp));
  };
  const information = logs.map((_, i) =>
    logs.map(
      (__, j) =>
        -(
          at([
            [i, STEP],
            [j, STEP],
          ]) -
          at([
            [i, STEP],
            [j, -STEP],
          ]) -
          at([
            [i, -STEP],
            [j, STEP],
          ]) +
          at([
            [i, -STEP],
            [j, -STEP],
          ])
        ) /
        (4 * STEP * STEP),
    ),
  );
  return logs.map((_, i) => {
    const unit = logs.map((__, j) => (i === j ? 1 : 0));
    return Math.sqrt(solvePositive(information, unit)[i] ?? Number.NaN);
  });
}
