import { minimise } from './minimise.js';

/** Parameters that explain the data best, or why there are none. */
export type Fit<Parameters> =
  | Readonly<{ fitted: true; parameters: Parameters; logLikelihood: number }>
  | Readonly<{ fitted: false; reason: string }>;

/**
 * Positive parameters are looked for by their logarithms, between these bounds. Outside, one parameter more or less makes no
 * difference to what is predicted: where all players are alike, for example, the likelihood only levels off towards infinity.
 */
const MIN_LOG = Math.log(1e-4);
const MAX_LOG = Math.log(1e5);

/** The positive parameters with the greatest likelihood. */
export function fitPositive<Parameters>(
  logLikelihood: (parameters: Parameters) => number,
  start: readonly number[],
  toParameters: (values: readonly number[]) => Parameters,
): Fit<Parameters> {
  const read = (logs: readonly number[]) => toParameters(logs.map(Math.exp));
  const isInside = (log: number) => log >= MIN_LOG && log <= MAX_LOG;
  const { point, value, converged } = minimise(
    (logs) => (logs.every(isInside) ? -logLikelihood(read(logs)) : Number.POSITIVE_INFINITY),
    start.map(Math.log),
  );
  if (!converged) return { fitted: false, reason: 'the search for the parameters did not come to an end' };
  return { fitted: true, parameters: read(point), logLikelihood: -value };
}
