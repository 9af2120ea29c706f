import type { ProbabilityCell } from './calibration.js';

/**
 * By how much the log-loss of a model is below that of one probability for everybody, summed over players of weeks that the model has not
 * seen, with the squares: the mean of a few hundred players is uncertain, and the squares say how much. What a player did in one week
 * and in the next counts as two observations, because both predictions know the week before.
 */
export type LogLossGain = Readonly<{
  players: number;
  positives: number;
  sum: number;
  squares: number;
  /** The log-loss of the one probability, summed. */
  average: number;
}>;

export const NO_GAIN: LogLossGain = { players: 0, positives: 0, sum: 0, squares: 0, average: 0 };

const MIN_PROBABILITY = 1e-12;

export function gainOver(rate: number, cells: readonly ProbabilityCell[]): LogLossGain {
  let { players, positives, sum, squares, average } = NO_GAIN;
  const rival = within(rate);
  for (const cell of cells) {
    const p = within(cell.predicted);
    const ofPositive = Math.log(p / rival);
    const ofNegative = Math.log1p(-p) - Math.log1p(-rival);
    const negatives = cell.players - cell.positives;
    players += cell.players;
    positives += cell.positives;
    sum += cell.positives * ofPositive + negatives * ofNegative;
    squares += cell.positives * ofPositive ** 2 + negatives * ofNegative ** 2;
    average -= cell.positives * Math.log(rival) + negatives * Math.log1p(-rival);
  }
  return { players, positives, sum, squares, average };
}

export function addGains(one: LogLossGain, other: LogLossGain): LogLossGain {
  return {
    players: one.players + other.players,
    positives: one.positives + other.positives,
    sum: one.sum + other.sum,
    squares: one.squares + other.squares,
    average: one.average + other.average,
  };
}

/** The mean per player, and its standard error. */
export function meanGain({ players, sum, squares }: LogLossGain): { mean: number; error: number } {
  const mean = sum / players;
  const variance = Math.max(0, squares / players - mean * mean);
  return { mean, error: Math.sqrt(variance / Math.max(1, players - 1)) };
}

/** The same as shares of the log-loss of the average: 0.12 is 12% less. */
export function relativeGain(gain: LogLossGain): { mean: number; error: number } {
  const { mean, error } = meanGain(gain);
  const scale = gain.average === 0 ? 0 : gain.players / gain.average;
  return { mean: mean * scale, error: error * scale };
}

function within(probability: number): number {
  return Math.min(1 - MIN_PROBABILITY, Math.max(MIN_PROBABILITY, probability));
}
