import { type Evaluation, minimise } from './minimise.js';

/** Parameters that explain the data best, or why there are none. */
export type Fit<Parameters> =
  | Readonly<{ fitted: true; parameters: Parameters; logLikelihood: number }>
  | Readonly<{ fitted: false; reason: string }>;

/** A log-likelihood and its derivatives by the parameters, in their order. */
export type LogLikelihood = (parameters: readonly number[]) => Evaluation;

/**
 * Positive parameters are looked for by their logarithms, between these bounds. Outside, one parameter more or less makes no
 * difference to what is predicted: where all players are alike, for example, the likelihood only levels off towards infinity.
 */
const BOUNDS = { low: Math.log(1e-4), high: Math.log(1e5) };

/** What is known of positive parameters before the data: each is log-normal, with this median and this deviation of its logarithm. */
export type LogNormalPrior = Readonly<{ medians: readonly number[]; deviations: readonly number[] }>;

/** The positive parameters with the greatest likelihood; with a prior, those with the greatest posterior density. */
export function fitPositive<Parameters>(
  logLikelihood: LogLikelihood,
  start: readonly number[],
  toParameters: (values: readonly number[]) => Parameters,
  prior?: LogNormalPrior,
): Fit<Parameters> {
  const distances = (logs: readonly number[]) =>
    logs.map((log, index) =>
      prior === undefined
        ? 0
        : (log - Math.log(prior.medians[index] as number)) / (prior.deviations[index] as number),
    );
  const { point, value, converged } = minimise(
    (logs) => {
      const values = logs.map(Math.exp);
      const at = logLikelihood(values);
      const away = distances(logs);
      return {
        value: away.reduce((sum, distance) => sum + (distance * distance) / 2, -at.value),
        gradient: at.gradient.map(
          (slope, index) =>
            (away[index] as number) / (prior?.deviations[index] ?? 1) - slope * (values[index] as number),
        ),
      };
    },
    start.map(Math.log),
    BOUNDS,
  );
  if (!converged) return { fitted: false, reason: 'the search for the parameters did not come to an end' };
  const parameters = point.map(Math.exp);
  const logLikelihoodThere = prior === undefined ? -value : logLikelihood(parameters).value;
  return { fitted: true, parameters: toParameters(parameters), logLikelihood: logLikelihoodThere };
}
