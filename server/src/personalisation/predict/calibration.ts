import { fitLogistic, logisticLogOdds, logOddsOf, probabilityOf } from './logistic.js';

/**
 * Calibration on the last window whose outcome is known. Probabilities: Platt, "Probabilistic Outputs for Support Vector
 * Machines" (1999): p' = σ(slope · logit(p) + offset). Counts: one factor.
 */
export type Platt = Readonly<{ slope: number; offset: number }>;

/** Players for whom the same was predicted, and how many of them it came true for. */
export type ProbabilityCell = Readonly<{ predicted: number; players: number; positives: number }>;

export const UNCALIBRATED: Platt = { slope: 1, offset: 0 };

/** What a window says is not believed beyond this: a sale doubles purchases for a week, not for ever. */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2;

export function calibrate({ slope, offset }: Platt, probability: number): number {
  return probabilityOf(slope * logOddsOf(probability) + offset);
}

/** Leaves probabilities as they are where the window holds only one outcome, or would turn the order round. */
export function fitPlatt(cells: readonly ProbabilityCell[]): Platt {
  const model = fitLogistic(
    cells.map(({ predicted, players, positives }) => ({
      features: [logOddsOf(predicted)],
      players,
      positives,
    })),
  );
  if (model === undefined) return UNCALIBRATED;
  const offset = logisticLogOdds(model, [0]);
  const slope = logisticLogOdds(model, [1]) - offset;
  // Without variance there is no slope to find: one probability for all is moved to where it belongs.
  if (model.coefficients[0] === 0) return { slope: 1, offset: offset - (model.means[0] as number) };
  return slope > 0 ? { slope, offset } : UNCALIBRATED;
}

/** By how much more happened than was predicted. */
export function countFactor(actual: number, predicted: number): number {
  if (!(predicted > 0)) return 1;
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, actual / predicted));
}
