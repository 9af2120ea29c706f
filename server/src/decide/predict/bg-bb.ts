import { type Fit, fitPositive, type LogLikelihood, type LogNormalPrior } from './fit.js';

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

const START: BgBbParameters = { alpha: 1, beta: 1, gamma: 0.5, delta: 5 };

/**
 * The log-likelihood of the cells and its derivatives by α, β, γ and δ. Cells of equal n and x have one chain of g_m in common, so they
 * are sorted to go through it once. Periods are whole numbers, so the ratios of gamma functions are products, Γ(α+x) / Γ(α) =
 * α (α+1) … (α+x−1), of which each evaluation makes a table (`Shifts`). The derivative of ln g_m by α is the sum of 1 / (α+β+j−1)
 * for j from m to n: a difference of two entries of such a table, like the other derivatives. Columns instead of objects, because it
 * is called for every step of a search.
 */
export function bgBbLikelihood(cells: readonly ActivityCount[]): LogLikelihood {
  const sorted = [...cells].sort((one, other) => one.n - other.n || one.x - other.x || other.tx - one.tx);
  const ns = Int32Array.from(sorted, ({ n }) => n);
  const xs = Int32Array.from(sorted, ({ x }) => x);
  const txs = Int32Array.from(sorted, ({ tx }) => tx);
  const counts = Float64Array.from(sorted, ({ players }) => players);
  const longest = sorted.at(-1)?.n ?? 0;
  // (α+β+m−1) (γ+δ+m) / (δ+m−1) by m, and 1 / (β+k−1) by k = m − x.
  const rises = new Float64Array(longest + 1);
  const falls = new Float64Array(longest + 1);
  return ([alpha = 0, beta = 0, gamma = 0, delta = 0]) => {
    for (let m = 1; m <= longest; m += 1) {
      rises[m] = ((alpha + beta + m - 1) * (gamma + delta + m)) / (delta + m - 1);
      falls[m] = 1 / (beta + m - 1);
    }
    const active = shiftsOf(alpha, longest);
    const silent = shiftsOf(beta, longest);
    const both = shiftsOf(alpha + beta, longest);
    const stayed = shiftsOf(delta, longest);
    const lived = shiftsOf(gamma + delta, longest);
    let [value, byAlpha, byBeta, byGamma, byDelta] = [0, 0, 0, 0, 0];
    for (let at = 0; at < counts.length; ) {
      const n = ns[at] as number;
      const x = xs[at] as number;
      const logAlive =
        (active.logs[x] as number) +
        (silent.logs[n - x] as number) -
        (both.logs[n] as number) +
        (stayed.logs[n] as number) -
        (lived.logs[n] as number);
      // The sum of g_m, and that of g_m times the entries of the tables.
      let [gone, goneBoth, goneSilent, goneLived, goneStayed] = [0, 0, 0, 0, 0];
      // The same over the players of all cells, each divided by 1 + Σ g_m.
      let [left, leftBoth, leftSilent, leftLived, leftStayed] = [0, 0, 0, 0, 0];
      let players = 0;
      let m = n;
      // What the first step of the chain makes g_{n−1} of.
      let odds = gamma / (gamma + delta + n);
      for (; ns[at] === n && xs[at] === x; at += 1) {
        for (const end = txs[at] as number; m > end; m -= 1) {
          odds *= (rises[m] as number) * (falls[m - x] as number);
          gone += odds;
          goneBoth += odds * (both.slopes[m - 1] as number);
          goneSilent += odds * (silent.slopes[m - 1 - x] as number);
          goneLived += odds * (lived.slopes[m] as number);
          goneStayed += odds * (stayed.slopes[m - 1] as number);
        }
        const count = counts[at] as number;
        const weight = count / (1 + gone);
        players += count;
        value += count * (logAlive + Math.log1p(gone));
        left += weight * gone;
        leftBoth += weight * goneBoth;
        leftSilent += weight * goneSilent;
        leftLived += weight * goneLived;
        leftStayed += weight * goneStayed;
      }
      const alive = players - left;
      const byBoth = -alive * (both.slopes[n] as number) - leftBoth;
      const byLived = -alive * (lived.slopes[n] as number) - leftLived;
      byAlpha += byBoth + players * (active.slopes[x] as number);
      byBeta += byBoth + alive * (silent.slopes[n - x] as number) + leftSilent;
      byGamma += byLived + left / gamma;
      byDelta += byLived + alive * (stayed.slopes[n] as number) + leftStayed;
    }
    return { value, gradient: [byAlpha, byBeta, byGamma, byDelta] };
  };
}

/** ln Γ(base + i) − ln Γ(base) and its derivative by the base, for i from 0 to `longest`. */
type Shifts = Readonly<{ logs: Float64Array; slopes: Float64Array }>;

function shiftsOf(base: number, longest: number): Shifts {
  const logs = new Float64Array(longest + 1);
  const slopes = new Float64Array(longest + 1);
  for (let i = 1; i <= longest; i += 1) {
    logs[i] = (logs[i - 1] as number) + Math.log(base + i - 1);
    slopes[i] = (slopes[i - 1] as number) + 1 / (base + i - 1);
  }
  return { logs, slopes };
}

/** `start`: parameters of similar players, from which the way is shorter. */
export function fitBgBb(
  cells: readonly ActivityCount[],
  start: BgBbParameters = START,
  prior?: LogNormalPrior,
): Fit<BgBbParameters> {
  return fitPositive(
    bgBbLikelihood(cells),
    [start.alpha, start.beta, start.gamma, start.delta],
    ([alpha = 0, beta = 0, gamma = 0, delta = 0]) => ({ alpha, beta, gamma, delta }),
    prior,
  );
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
