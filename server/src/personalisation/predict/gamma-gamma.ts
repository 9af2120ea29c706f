import { type Fit, fitPositive } from './fit.js';
import { logGamma } from './log-gamma.js';

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

/** Cells without a purchase or without a price say nothing and are left out. */
export function fitGammaGamma(cells: readonly SpendingCell[]): Fit<GammaGammaParameters> {
  const paid = cells.filter(({ x, meanValue, players }) => x > 0 && meanValue > 0 && players > 0);
  if (paid.length === 0) return { fitted: false, reason: 'nobody has paid twice' };
  // In the middle of the prices, whatever the currency: 1 yen and 1 dinar are far apart.
  const scale = Math.exp(
    paid.reduce((sum, { meanValue, players }) => sum + players * Math.log(meanValue), 0) /
      paid.reduce((sum, { players }) => sum + players, 0),
  );
  const scaled = paid.map((cell) => ({ ...cell, meanValue: cell.meanValue / scale }));
  const fit = fitPositive(
    (parameters: GammaGammaParameters) => gammaGammaLogLikelihood(scaled, parameters),
    [...START_SHAPES, 1],
    ([p = 0, q = 0, v = 0]) => ({ p, q, v }),
  );
  if (!fit.fitted) return fit;
  const { p, q, v } = fit.parameters;
  const parameters = { p, q, v: v * scale };
  return { fitted: true, parameters, logLikelihood: gammaGammaLogLikelihood(paid, parameters) };
}

export function gammaGammaLogLikelihood(
  cells: readonly SpendingCell[],
  { p, q, v }: GammaGammaParameters,
): number {
  const constants = new Map<number, number>();
  const constantOf = (x: number): number =>
    logGamma(p * x + q) - logGamma(p * x) - logGamma(q) + q * Math.log(v) + p * x * Math.log(x);
  let sum = 0;
  for (const { x, meanValue, players } of cells) {
    let constant = constants.get(x);
    if (constant === undefined) {
      constant = constantOf(x);
      constants.set(x, constant);
    }
    const logValue = (p * x - 1) * Math.log(meanValue) - (p * x + q) * Math.log(v + x * meanValue);
    sum += players * (constant + logValue);
  }
  return sum;
}

/** The expected value of a purchase of a player with this past; of any player with x = 0. Needs q > 1. */
export function gammaGammaExpected({ p, q, v }: GammaGammaParameters, { x, meanValue }: Spending): number {
  return (p * (v + x * meanValue)) / (p * x + q - 1);
}
