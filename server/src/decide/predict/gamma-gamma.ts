import { digamma, logGamma } from '@savepoint/statistics';
import { type Fit, fitPositive, type LogLikelihood, type LogNormalPrior } from './fit.js';

/**
 * Gamma-Gamma: Fader and Hardie, "The Gamma-Gamma Model of Monetary Value" (2013, brucehardie.com/notes/025). What a player
 * spends at a purchase is Gamma(p, ν) with a ν of their own, drawn from Gamma(q, v), whatever the number of purchases.
 *
 * With x purchases of mean value m:
 *
 *   ln L = ln Γ(px+q) − ln Γ(px) − ln Γ(q) + q ln v + (px−1) ln m + px ln x − (px+q) ln(v + xm)
 *   E[M] = p (v + xm) / (px + q − 1)
 */
export type Spending = Readonly<{
  /** Purchases that the mean is of. */
  x: number;
  meanValue: number;
}>;

/** Players of equal spending. */
export type SpendingCell = Spending & Readonly<{ players: number }>;

export type GammaGammaParameters = Readonly<{ p: number; q: number; v: number }>;

const START_SHAPES = [2, 2];

/**
 * Cells without a purchase or without a price say nothing and are left out. The prior is one of p, q and v for amounts around 1: v counts in
 * the middle of the prices.
 */
export function fitGammaGamma(
  cells: readonly SpendingCell[],
  prior?: LogNormalPrior,
): Fit<GammaGammaParameters> {
  const paid = cells.filter(({ x, meanValue, players }) => x > 0 && meanValue > 0 && players > 0);
  if (paid.length === 0) return { fitted: false, reason: 'nobody has paid twice' };
  // In the middle of the prices, whatever the currency: 1 yen and 1 dinar are far apart.
  const scale = Math.exp(
    paid.reduce((sum, { meanValue, players }) => sum + players * Math.log(meanValue), 0) /
      paid.reduce((sum, { players }) => sum + players, 0),
  );
  const scaled = paid.map((cell) => ({ ...cell, meanValue: cell.meanValue / scale }));
  const fit = fitPositive(
    gammaGammaLikelihood(scaled),
    [...START_SHAPES, 1],
    ([p = 0, q = 0, v = 0]) => ({ p, q, v }),
    prior,
  );
  if (!fit.fitted) return fit;
  const { p, q, v } = fit.parameters;
  const parameters = { p, q, v: v * scale };
  return { fitted: true, parameters, logLikelihood: gammaGammaLikelihood(paid)([p, q, v * scale]).value };
}

/** The log-likelihood of the cells and its derivatives by p, q and v. What depends on x alone is worked out once for each x. */
export function gammaGammaLikelihood(cells: readonly SpendingCell[]): LogLikelihood {
  const sorted = [...cells].sort((one, other) => one.x - other.x);
  const xs = Float64Array.from(sorted, ({ x }) => x);
  const counts = Float64Array.from(sorted, ({ players }) => players);
  const totals = Float64Array.from(sorted, ({ x, meanValue }) => x * meanValue);
  const logs = Float64Array.from(sorted, ({ meanValue }) => Math.log(meanValue));
  return ([p = 0, q = 0, v = 0]) => {
    const [logGammaQ, psiQ, logV] = [logGamma(q), digamma(q), Math.log(v)];
    let [value, byP, byQ, byV] = [0, 0, 0, 0];
    for (let from = 0; from < xs.length; ) {
      const x = xs[from] as number;
      const shape = p * x;
      let [players, sumLog, sumLogTotal, sumInverse] = [0, 0, 0, 0];
      for (; xs[from] === x; from += 1) {
        const count = counts[from] as number;
        const total = v + (totals[from] as number);
        players += count;
        sumLog += count * (logs[from] as number);
        sumLogTotal += count * Math.log(total);
        sumInverse += count / total;
      }
      const [logX, psiSum] = [Math.log(x), digamma(shape + q)];
      const constant = logGamma(shape + q) - logGamma(shape) - logGammaQ + q * logV + shape * logX;
      value += players * constant + (shape - 1) * sumLog - (shape + q) * sumLogTotal;
      byP += x * (players * (psiSum - digamma(shape) + logX) + sumLog - sumLogTotal);
      byQ += players * (psiSum - psiQ + logV) - sumLogTotal;
      byV += (players * q) / v - (shape + q) * sumInverse;
    }
    return { value, gradient: [byP, byQ, byV] };
  };
}

/** The expected value of a purchase of a player with this past; of any player with x = 0. Needs q > 1. */
export function gammaGammaExpected({ p, q, v }: GammaGammaParameters, { x, meanValue }: Spending): number {
  return (p * (v + x * meanValue)) / (p * x + q - 1);
}
