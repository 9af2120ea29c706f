import { type Fit, fitPositive } from './fit.js';
import { logBeta } from './log-gamma.js';

/**
 * BG/BB: Fader, Hardie and Shang, "Customer-Base Analysis in a Discrete-Time Noncontractual Setting" (Marketing Science 29,
 * 2010). In each period (here: a day) a living player is active with a probability of their own, drawn from Beta(α, β), and
 * leaves for good at its beginning with another, drawn from Beta(γ, δ).
 *
 * With x active periods out of n, the last of them the tx-th:
 *
 *   L = B(α+x, β+n−x) / B(α, β) · B(γ, δ+n) / B(γ, δ) + Σ_{m=tx}^{n−1} B(α+x, β+m−x) / B(α, β) · B(γ+1, δ+m) / B(γ, δ)
 *
 * The first summand says "alive until the end", the others "left after period m". Divided by the first summand, the others are
 * products of simple ratios, so scoring needs no special function:
 *
 *   P(alive) = 1 / (1 + Σ g_m),   g_{n−1} = (α+β+n−1) / (β+n−1−x) · γ / (δ+n−1),
 *   g_{m−1} = g_m · (α+β+m−1) / (β+m−1−x) · (γ+δ+m) / (δ+m−1)
 */
export type ActivityHistory = Readonly<{
  /** Active periods after the first one. */
  x: number;
  /** The last active period; 0 without one. */
  tx: number;
  /** Periods since the first one. */
  n: number;
}>;

/** Players of equal history. */
export type ActivityCount = ActivityHistory & Readonly<{ players: number }>;

export type BgBbParameters = Readonly<{ alpha: number; beta: number; gamma: number; delta: number }>;

const START = [1, 1, 0.5, 5];

/**
 * The log-likelihood of the cells as a function of the parameters. Cells of equal n and x have one chain of g_m in common, so they
 * are sorted to go through it once, and the ratios of the chain are worked out once for all: a step is two multiplications.
 * Columns instead of objects: it is called some hundred times.
 */
export function bgBbLogLikelihood(cells: readonly ActivityCount[]): (parameters: BgBbParameters) => number {
  const sorted = [...cells].sort((one, other) => one.n - other.n || one.x - other.x || other.tx - one.tx);
  const ns = Int32Array.from(sorted, ({ n }) => n);
  const xs = Int32Array.from(sorted, ({ x }) => x);
  const txs = Int32Array.from(sorted, ({ tx }) => tx);
  const counts = Float64Array.from(sorted, ({ players }) => players);
  const longest = sorted.at(-1)?.n ?? 0;
  // (α+β+m−1) (γ+δ+m) / (δ+m−1) by m, and 1 / (β+k−1) by k = m − x.
  const rises = new Float64Array(longest + 1);
  const falls = new Float64Array(longest + 1);
  return ({ alpha, beta, gamma, delta }) => {
    for (let m = 1; m <= longest; m += 1) {
      rises[m] = ((alpha + beta + m - 1) * (gamma + delta + m)) / (delta + m - 1);
      falls[m] = 1 / (beta + m - 1);
    }
    const logBetaActive = logBeta(alpha, beta);
    const logBetaLeave = logBeta(gamma, delta);
    let sum = 0;
    let n = -1;
    let x = -1;
    let logSurvival = 0;
    let logAlive = 0;
    let m = 0;
    let odds = 0;
    let gone = 0;
    for (let at = 0; at < counts.length; at += 1) {
      if (ns[at] !== n || xs[at] !== x) {
        if (ns[at] !== n) logSurvival = logBeta(gamma, delta + (ns[at] as number)) - logBetaLeave;
        n = ns[at] as number;
        x = xs[at] as number;
        logAlive = logBeta(alpha + x, beta + n - x) - logBetaActive + logSurvival;
        m = n;
        // What the first step of the chain makes g_{n−1} of.
        odds = gamma / (gamma + delta + n);
        gone = 0;
      }
      for (const end = txs[at] as number; m > end; m -= 1) {
        odds *= (rises[m] as number) * (falls[m - x] as number);
        gone += odds;
      }
      sum += (counts[at] as number) * (logAlive + Math.log1p(gone));
    }
    return sum;
  };
}

export function fitBgBb(cells: readonly ActivityCount[]): Fit<BgBbParameters> {
  return fitPositive(bgBbLogLikelihood(cells), START, ([alpha = 0, beta = 0, gamma = 0, delta = 0]) => ({
    alpha,
    beta,
    gamma,
    delta,
  }));
}

/** The probability that the player has not left by the end of period n. */
export function bgBbAlive(parameters: BgBbParameters, history: ActivityHistory): number {
  return 1 / (1 + oddsGone(parameters, history));
}

/** The expected number of active periods among the next `periods`. */
export function bgBbExpected(parameters: BgBbParameters, history: ActivityHistory, periods: number): number {
  const { alpha, beta, gamma, delta } = parameters;
  const { x, n } = history;
  let alive = bgBbAlive(parameters, history);
  let sum = 0;
  for (let m = n; m < n + periods; m += 1) {
    alive *= (delta + m) / (gamma + delta + m);
    sum += alive;
  }
  return (sum * (alpha + x)) / (alpha + beta + n);
}

/** The probability of being active at least once in the next `periods`. */
export function bgBbAnyActivity(
  parameters: BgBbParameters,
  history: ActivityHistory,
  periods: number,
): number {
  const { alpha, beta, gamma, delta } = parameters;
  const { x, n } = history;
  let alive = bgBbAlive(parameters, history);
  // Of a player who is alive all the time: no activity so far.
  let silent = 1;
  let sum = 0;
  for (let m = n; m < n + periods; m += 1) {
    alive *= (delta + m) / (gamma + delta + m);
    // Active in this period for the first time.
    sum += (alive * silent * (alpha + x)) / (alpha + beta + m);
    silent *= (beta + m - x) / (alpha + beta + m);
  }
  return sum;
}

/** Σ g_m: the odds of having left. Infinite, not NaN, where they are too large to be a number. */
function oddsGone({ alpha, beta, gamma, delta }: BgBbParameters, { x, tx, n }: ActivityHistory): number {
  // The first step of the chain makes g_{n−1} of this.
  let odds = gamma / (gamma + delta + n);
  let sum = 0;
  for (let m = n; m > tx; m -= 1) {
    odds *= ((alpha + beta + m - 1) * (gamma + delta + m)) / ((beta + m - 1 - x) * (delta + m - 1));
    sum += odds;
  }
  return sum;
}
