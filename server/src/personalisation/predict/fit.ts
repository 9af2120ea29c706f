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

/** The positive parameters with the greatest likelihood. */
export function fitPositive<Parameters>(
  logLikelihood: LogLikelihood,
  start: readonly number[],
  toParameters: (values: readonly number[]) => Parameters,
): Fit<Parameters> {
  const { point, value, converged } = minimise(
    (logs) => {
      const values = logs.map(Math.exp);
      const at = logLikelihood(values);
      return {
        value: -at.value,
        gradient: at.gradient.map((slope, index) => -slope * (values[index] as number)),
      };
    },
    start.map(Math.log),
    BOUNDS,
  );
  if (!converged) return { fitted: false, reason: 'the search for the parameters did not come to an end' };
  return { fitted: true, parameters: toParameters(point.map(Math.exp)), logLikelihood: -value };
}
