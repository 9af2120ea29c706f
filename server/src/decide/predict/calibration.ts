import {
  fitPooledLogistic,
  type LogisticPrior,
  logisticLogOdds,
  logOddsOf,
  probabilityOf,
  tableOf,
} from './logistic.js';

/**
 * Calibration on the last window whose outcome is known. Probabilities: Platt, "Probabilistic Outputs for Support Vector
 * Machines" (1999): p' = σ(slope · logit(p) + offset), drawn to slope 1 and
 * offset 0. Counts: one factor.
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

/** The rate of a week counts against this many positives of the prior: it changes from week to week by more than the order of players does. */
export const RATE_RIDGE = 5;

/** Probabilities as they are. A week of a few hundred players moves them a little, a week of thousands to where they belong. */
const AS_THEY_ARE: LogisticPrior = {
  model: { intercept: 0, coefficients: [1], means: [0], deviations: [1] },
  ridge: 20,
  interceptRidge: RATE_RIDGE,
};

/** Leaves probabilities as they are where it would turn the order round. */
export function fitPlatt(cells: readonly ProbabilityCell[]): Platt {
  const table = tableOf(
    cells.map(({ predicted, players, positives }) => ({
      features: [logOddsOf(predicted)],
      players,
      positives,
    })),
  );
  const { model } = fitPooledLogistic(table, AS_THEY_ARE);
  const offset = logisticLogOdds(model, [0]);
  const slope = logisticLogOdds(model, [1]) - offset;
  return slope > 0 ? { slope, offset } : UNCALIBRATED;
}

/** By how much more happened than was predicted. */
export function countFactor(actual: number, predicted: number): number {
  if (!(predicted > 0)) return 1;
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, actual / predicted));
}
