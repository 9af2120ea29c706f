import { digamma, logBeta, logGamma } from '@savepoint/statistics';
import { type Fit, fitPositive, type LogLikelihood, type LogNormalPrior } from './fit.js';
import { poweredHypergeometric } from './hypergeometric.js';

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

/**
 * With few purchases in a short time the likelihood may have another summit, at an a and b near 0: nearly all leave at once or never. From
 * here the usual one is found. The two differ by less than chance does.
 */
const START: NbdParameters = { r: 1, alpha: 10, a: 1, b: 2 };
/** Nearer to 1, a − 1 has too few digits left to divide by. */
const MIN_DISTANCE = 1e-6;

/**
 * The log-likelihood of the cells and its derivatives by r, α, a and b. What depends on x alone is worked out once for each x, and the
 * logarithms of α+t and α+tx once for each time: what is left for a cell is one exponential and one logarithm.
 */
export function nbdLikelihood(cells: readonly PurchaseCell[], k: FirstChance): LogLikelihood {
  const times = [...new Set(cells.flatMap(({ tx, t }) => [tx, t]))];
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const sorted = [...cells].sort((one, other) => one.x - other.x);
  const xs = Float64Array.from(sorted, ({ x }) => x);
  const ends = Int32Array.from(sorted, ({ t }) => indexOf.get(t) as number);
  const lasts = Int32Array.from(sorted, ({ tx }) => indexOf.get(tx) as number);
  const counts = Float64Array.from(sorted, ({ players }) => players);
  const inverses = new Float64Array(times.length);
  const logs = new Float64Array(times.length);
  return ([r = 0, alpha = 0, a = 0, b = 0]) => {
    for (const [index, time] of times.entries()) {
      inverses[index] = 1 / (alpha + time);
      logs[index] = Math.log(alpha + time);
    }
    const logAlpha = Math.log(alpha);
    const [logGammaR, logBetaAb] = [logGamma(r), logBeta(a, b)];
    const [psiR, psiB, psiAb] = [digamma(r), digamma(b), digamma(a + b)];
    let [value, byR, byAlpha, byA, byB] = [0, 0, 0, 0, 0];
    for (let from = 0; from < xs.length; ) {
      const x = xs[from] as number;
      const shape = r + x;
      const stayed = b + x + k;
      const logOdds = Math.log(a / (stayed - 1));
      let [players, gone, rest, restByR, restByAlpha] = [0, 0, 0, 0, 0];
      for (; xs[from] === x; from += 1) {
        const count = counts[from] as number;
        const end = ends[from] as number;
        const last = lasts[from] as number;
        const log = logs[end] as number;
        const inverse = inverses[end] as number;
        players += count;
        rest -= count * shape * log;
        restByR -= count * log;
        restByAlpha -= count * shape * inverse;
        if (x + k === 0) continue;
        const distance = log - (logs[last] as number);
        const odds = logOdds + shape * distance;
        // ln(1 + e^odds) and e^odds / (1 + e^odds), where e^odds may be too large to be a number.
        const small = Math.exp(-Math.abs(odds));
        rest += count * (Math.max(odds, 0) + Math.log1p(small));
        const weight = (count * (odds > 0 ? 1 : small)) / (1 + small);
        gone += weight;
        restByR += weight * distance;
        restByAlpha += weight * shape * (inverse - (inverses[last] as number));
      }
      const sumPsi = psiAb - digamma(a + stayed);
      value += rest + players * (logGamma(shape) - logGammaR + r * logAlpha + logBeta(a, stayed) - logBetaAb);
      byR += restByR + players * (digamma(shape) - psiR + logAlpha);
      byAlpha += restByAlpha + (players * r) / alpha;
      byA += players * sumPsi + gone / a;
      byB += players * (sumPsi + digamma(stayed) - psiB);
      if (x + k > 0) byB -= gone / (stayed - 1);
    }
    return { value, gradient: [byR, byAlpha, byA, byB] };
  };
}

/** `start`: parameters of similar players, from which the way is shorter. */
export function fitNbd(
  cells: readonly PurchaseCell[],
  k: FirstChance,
  start: NbdParameters = START,
  prior?: LogNormalPrior,
): Fit<NbdParameters> {
  return fitPositive(
    nbdLikelihood(cells, k),
    [start.r, start.alpha, start.a, start.b],
    ([r = 0, alpha = 0, a = 0, b = 0]) => ({ r, alpha, a, b }),
    prior,
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
