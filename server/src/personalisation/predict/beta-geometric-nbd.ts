import { type Fit, fitPositive } from './fit.js';
import { poweredHypergeometric } from './hypergeometric.js';
import { logBeta, logGamma } from './log-gamma.js';

/**
 * What BG/NBD and MBG/NBD have in common. A living customer buys at random moments with a rate of their own, drawn from
 * Gamma(r, α), and may leave for good with a probability of their own, drawn from Beta(a, b). The two differ in when a customer
 * may leave: after each repeat purchase (BG, k = 0), or also right after the first purchase (MBG, k = 1).
 *
 * With x repeat purchases, the last at tx, and t since the first purchase:
 *
 *   L = Γ(r+x) αʳ / Γ(r) · { B(a, b+x+k) / B(a, b) · (α+t)^−(r+x) + B(a+1, b+x+k−1) / B(a, b) · (α+tx)^−(r+x) }
 *   P(alive) = 1 / (1 + a / (b+x+k−1) · ((α+t) / (α+tx))^(r+x))
 *   E[Y(h)] = P(alive) · (a+b+x+k−1) / (a−1) · { 1 − (1−z)^(a−1) · ₂F₁(a+b+k−1−r, a−1; a+b+x+k−1; z) },  z = h / (α+t+h)
 *
 * where for k = 0 and x = 0 nobody can have left. The papers have (1−z)^(r+x) · ₂F₁(r+x, b+x+k; …), which overflows for heavy
 * buyers; this is the same after Euler's transformation. Theirs is used where a is larger than r+x: in a game whose players all
 * leave with about the same probability, the best a and b are in the ten thousands, and this one overflows.
 */
export type PurchaseHistory = Readonly<{
  /** Repeat purchases: the first one is not counted. */
  x: number;
  /** Time from the first purchase to the last; 0 without a repeat. */
  tx: number;
  /** Time from the first purchase until now. */
  t: number;
}>;

/** Customers of equal history. */
export type PurchaseCell = PurchaseHistory & Readonly<{ players: number }>;

export type NbdParameters = Readonly<{ r: number; alpha: number; a: number; b: number }>;

/** 1 if a customer may leave right after the first purchase. */
export type FirstChance = 0 | 1;

export const NEW_CUSTOMER: PurchaseHistory = { x: 0, tx: 0, t: 0 };

const START = [1, 10, 1, 2];
/** Nearer to 1, a − 1 has too few digits left to divide by. */
const MIN_DISTANCE = 1e-6;

export function nbdLogLikelihood(
  cells: readonly PurchaseCell[],
  parameters: NbdParameters,
  k: FirstChance,
): number {
  const { r, alpha, a, b } = parameters;
  const constants = new Map<number, number>();
  const logAlpha = Math.log(alpha);
  const logBetaAb = logBeta(a, b);
  const constantOf = (x: number): number =>
    logGamma(r + x) - logGamma(r) + r * logAlpha + logBeta(a, b + x + k) - logBetaAb;
  let sum = 0;
  for (const cell of cells) {
    const { x, t, players } = cell;
    let constant = constants.get(x);
    if (constant === undefined) {
      constant = constantOf(x);
      constants.set(x, constant);
    }
    const odds = logOddsGone(parameters, cell, k);
    // ln(1 + e^odds), where e^odds may be too large to be a number.
    const either = odds > 0 ? odds + Math.log1p(Math.exp(-odds)) : Math.log1p(Math.exp(odds));
    sum += players * (constant - (r + x) * Math.log(alpha + t) + either);
  }
  return sum;
}

export function fitNbd(cells: readonly PurchaseCell[], k: FirstChance): Fit<NbdParameters> {
  return fitPositive(
    (parameters: NbdParameters) => nbdLogLikelihood(cells, parameters, k),
    START,
    ([r = 0, alpha = 0, a = 0, b = 0]) => ({ r, alpha, a, b }),
  );
}

/** The probability that the customer has not left. */
export function nbdAlive(parameters: NbdParameters, history: PurchaseHistory, k: FirstChance): number {
  return 1 / (1 + Math.exp(logOddsGone(parameters, history, k)));
}

/** The expected number of purchases in the next `horizon`; of a new customer with `NEW_CUSTOMER`. */
export function nbdExpected(
  parameters: NbdParameters,
  history: PurchaseHistory,
  horizon: number,
  k: FirstChance,
): number {
  return nbdAlive(parameters, history, k) * expectedIfAlive(parameters, history, horizon, k);
}

/** The probability of at least one purchase in the next `horizon`: who is alive leaves only after a purchase. */
export function nbdAnyPurchase(
  parameters: NbdParameters,
  history: PurchaseHistory,
  horizon: number,
  k: FirstChance,
): number {
  const { r, alpha } = parameters;
  const past = alpha + history.t;
  const none = Math.exp((r + history.x) * Math.log(past / (past + horizon)));
  return nbdAlive(parameters, history, k) * (1 - none);
}

function expectedIfAlive(
  { r, alpha, a: given, b }: NbdParameters,
  { x, t }: PurchaseHistory,
  horizon: number,
  k: FirstChance,
): number {
  const a = Math.abs(given - 1) < MIN_DISTANCE ? 1 + MIN_DISTANCE : given;
  const z = horizon / (alpha + t + horizon);
  const sum = a + b + x + k - 1;
  // The series has no value for c = 0, which the sum can only be for k = 0 and x = 0.
  const c = Math.abs(sum) < MIN_DISTANCE ? MIN_DISTANCE : sum;
  const rest =
    r + x < a - 1
      ? poweredHypergeometric(r + x, r + x, b + x + k, c, z)
      : poweredHypergeometric(a - 1, a + b + k - 1 - r, a - 1, c, z);
  const expected = (c / (a - 1)) * (1 - rest);
  return Math.max(0, expected);
}

function logOddsGone(
  { r, alpha, a, b }: NbdParameters,
  { x, tx, t }: PurchaseHistory,
  k: FirstChance,
): number {
  if (x + k === 0) return Number.NEGATIVE_INFINITY;
  return Math.log(a / (b + x + k - 1)) + (r + x) * Math.log((alpha + t) / (alpha + tx));
}
