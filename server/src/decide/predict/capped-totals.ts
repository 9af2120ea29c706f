import type { Expected } from './chance.js';

/** Over the players of a cell. */
export type Total = Readonly<{ players: number; predicted: number; observed: number }>;

/** The same, and what chance does to it: of the players of a cell together. */
export type UncertainTotal = Total & Pick<Expected, 'variance' | 'nothing'>;

export function sumOf(totals: readonly Total[]): Total {
  const sum = (of: keyof Total) => totals.reduce((before, total) => before + total[of], 0);
  return { players: sum('players'), predicted: sum('predicted'), observed: sum('observed') };
}

export function varianceOf(totals: readonly UncertainTotal[]): number {
  return totals.reduce((sum, { variance }) => sum + variance, 0);
}

/**
 * No payer is more than this share of what is expected of all. The error of one whale would otherwise be all that chance is measured by:
 * with 12,331 expected of a game and nothing spent, the guard stayed green.
 */
const MAX_SHARE = 1 / 25;

/** Predicted and observed amounts get the same weight. It depends on the prediction alone, so a model that is right stays right. */
export function withCappedShares(totals: readonly UncertainTotal[]): UncertainTotal[] {
  const cap = capOf(totals);
  return totals.map((total) => {
    const { predicted, observed, variance } = total;
    if (!(predicted > cap * total.players)) return total;
    const weight = (cap * total.players) / predicted;
    return {
      ...total,
      predicted: weight * predicted,
      observed: weight * observed,
      variance: weight * weight * variance,
    };
  });
}

/** The most that is counted of one payer: `MAX_SHARE` of the sum of what is counted. Infinite with too few payers for that. */
function capOf(totals: readonly Total[]): number {
  const sorted = [...totals].sort(
    (one, other) => other.predicted / other.players - one.predicted / one.players,
  );
  let rest = sorted.reduce((sum, { predicted }) => sum + predicted, 0);
  let above = 0;
  for (const { players, predicted } of sorted) {
    const cap = (MAX_SHARE * rest) / (1 - MAX_SHARE * above);
    if (predicted <= cap * players) return cap;
    rest -= predicted;
    above += players;
    if (MAX_SHARE * above >= 1) break;
  }
  return Number.POSITIVE_INFINITY;
}
