import type { ProbabilityCell } from './calibration.js';

/**
 * How good probabilities were, once the outcome is known.
 *
 * AUC: the probability that a player with the outcome had a higher score than one without it (ties count half). Brier skill:
 * 1 − Brier score / Brier score of the base rate. ECE: the mean distance between predicted and observed rate over tenths of
 * the players by score. Total ratio: predicted / observed number.
 */
export type ProbabilityMetrics = Readonly<{
  players: number;
  baseRate: number;
  /** Null where all players had the same outcome. */
  auc: number | null;
  /** Null where all players had the same outcome. */
  brierSkill: number | null;
  ece: number;
  /** The ECE that chance alone gives a perfect model with so many players. */
  eceOfChance: number;
  logLoss: number;
  /** Null where nothing happened. */
  totalRatio: number | null;
  deciles: readonly Decile[];
}>;

export type Decile = Readonly<{ players: number; predicted: number; observed: number }>;

const TENTHS = 10;
const MIN_PROBABILITY = 1e-12;

export function measureProbabilities(cells: readonly ProbabilityCell[]): ProbabilityMetrics | undefined {
  const sorted = cells
    .filter(({ players }) => players > 0)
    .sort((one, other) => one.predicted - other.predicted);
  let players = 0;
  let positives = 0;
  let predicted = 0;
  let squares = 0;
  let loss = 0;
  for (const cell of sorted) {
    const p = Math.min(1 - MIN_PROBABILITY, Math.max(MIN_PROBABILITY, cell.predicted));
    const negatives = cell.players - cell.positives;
    players += cell.players;
    positives += cell.positives;
    predicted += cell.players * p;
    squares += cell.positives * (1 - p) ** 2 + negatives * p * p;
    loss -= cell.positives * Math.log(p) + negatives * Math.log1p(-p);
  }
  if (players === 0) return undefined;
  const baseRate = positives / players;
  const isOneSided = positives === 0 || positives === players;
  const deciles = tenths(sorted, players);
  return {
    players,
    baseRate,
    auc: isOneSided ? null : areaUnderCurve(sorted, positives, players - positives),
    brierSkill: isOneSided ? null : 1 - squares / players / (baseRate * (1 - baseRate)),
    ece: weighted(deciles, players, (decile) => Math.abs(decile.predicted - decile.observed)),
    eceOfChance: weighted(deciles, players, expectedDistance),
    logLoss: loss / players,
    totalRatio: positives === 0 ? null : predicted / positives,
    deciles,
  };
}

/** The mean distance of an observed rate from the true one: that of a normal distribution, √(2/π) σ. Rates are at most 1 apart. */
function expectedDistance({ players, predicted }: Decile): number {
  return Math.min(1, Math.sqrt(((2 / Math.PI) * predicted * (1 - predicted)) / players));
}

/** How far chance alone spreads the ECE of a perfect model: the deviation of the sum of such distances, σ √(1 − 2/π) each. */
export function chanceDeviation({
  deciles,
  players,
}: Pick<ProbabilityMetrics, 'deciles' | 'players'>): number {
  const variance = deciles.reduce(
    (sum, { players: tenth, predicted }) =>
      sum + (tenth / players) ** 2 * (1 - 2 / Math.PI) * ((predicted * (1 - predicted)) / tenth),
    0,
  );
  return Math.sqrt(variance);
}

function weighted(deciles: readonly Decile[], players: number, of: (decile: Decile) => number): number {
  return deciles.reduce((sum, decile) => sum + (decile.players / players) * of(decile), 0);
}

function areaUnderCurve(sorted: readonly ProbabilityCell[], positives: number, negatives: number): number {
  let below = 0;
  let area = 0;
  for (let from = 0; from < sorted.length; ) {
    const score = (sorted[from] as ProbabilityCell).predicted;
    let hits = 0;
    let misses = 0;
    for (; from < sorted.length && sorted[from]?.predicted === score; from += 1) {
      const cell = sorted[from] as ProbabilityCell;
      hits += cell.positives;
      misses += cell.players - cell.positives;
    }
    area += hits * (below + misses / 2);
    below += misses;
  }
  return area / (positives * negatives);
}

/** A cell that lies across the boundary of two tenths is shared between them. */
function tenths(sorted: readonly ProbabilityCell[], players: number): Decile[] {
  const size = players / TENTHS;
  const sums = Array.from({ length: TENTHS }, () => ({ players: 0, predicted: 0, observed: 0 }));
  let tenth = 0;
  for (const cell of sorted) {
    let rest = cell.players;
    while (rest > 0) {
      const sum = sums[tenth] as (typeof sums)[number];
      const room = tenth === TENTHS - 1 ? rest : size - sum.players;
      const part = Math.min(rest, room);
      sum.players += part;
      sum.predicted += part * cell.predicted;
      sum.observed += part * (cell.positives / cell.players);
      rest -= part;
      if (part === room && tenth < TENTHS - 1) tenth += 1;
    }
  }
  return sums
    .filter((sum) => sum.players > 0)
    .map((sum) => ({
      players: sum.players,
      // Rounding must not make a probability of more than 1.
      predicted: Math.min(1, sum.predicted / sum.players),
      observed: Math.min(1, sum.observed / sum.players),
    }));
}
