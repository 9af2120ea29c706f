import { criticalValue } from './confidence-sequence.js';
import { normalQuantile } from './special/normal.js';

/** What an experiment is planned for. */
export type SampleSizeOptions = Readonly<{
  /** Of the control's players; p (1 − p) for a share. */
  variance: number;
  /** Of the arm's players, where the effect makes it another one: p₂ (1 − p₂) for a share. */
  armVariance?: number;
  /** The smallest difference worth having, in the unit of the values. */
  effect: number;
  alpha?: number;
  /** How often an effect of that size is to be found. */
  power?: number;
  /** Players of the arm for each player of the control. */
  ratio?: number;
}>;

/** The variances of a share that an effect raises from `share`. */
export function variancesOfShare(share: number, effect: number): { variance: number; armVariance: number } {
  const raised = Math.min(1, share + effect);
  return { variance: share * (1 - share), armVariance: raised * (1 - raised) };
}

export type SampleSize = Readonly<{ control: number; arm: number; total: number }>;

const ALPHA = 0.05;
const POWER = 0.8;

/**
 * Players for Welch's t at one look: (z_α/2 + z_β)² (σ²₁ + σ²₂/ratio) / δ² for the control, and z²_α/2 / 4 more because the variance is
 * estimated (Guenther 1981, "Sample size formulas for normal theory t tests"). Agrees with G*Power.
 */
export function fixedSampleSize(options: SampleSizeOptions): SampleSize {
  const { alpha = ALPHA, ratio = 1 } = options;
  const z = normalQuantile(alpha / 2);
  const own = ownError(options);
  return sizeOf(playersOfControl(options, { critical: z, own, judged: own }) + (z * z) / 4, ratio);
}

/**
 * Players for a confidence sequence that is tuned to them: at the planned size its interval is 1.55 times as wide, which takes 1.9 times
 * as many players. That is the price of looking daily. A larger effect is found before. Verdicts take the larger of two errors, see unequal-arms.ts.
 */
export function sequenceSampleSize(options: SampleSizeOptions): SampleSize {
  const { alpha = ALPHA, ratio = 1, variance, armVariance = variance } = options;
  // Where it is tuned to, the critical value is the same for any number of players.
  const critical = criticalValue(1, { tunedTo: 1, alpha });
  const own = ownError(options);
  const judged = Math.max(own, armVariance + variance / ratio);
  return sizeOf(playersOfControl(options, { critical, own, judged }), ratio);
}

/** The squared error of the difference, times the players of the control. */
function ownError({ variance, armVariance = variance, ratio = 1 }: SampleSizeOptions): number {
  return variance + armVariance / ratio;
}

/** `own`: the squared error by which the difference scatters; `judged`: the one that it has to exceed `critical` times. */
function playersOfControl(
  { effect, power = POWER }: SampleSizeOptions,
  { critical, own, judged }: { critical: number; own: number; judged: number },
): number {
  return ((critical * Math.sqrt(judged) + normalQuantile(1 - power) * Math.sqrt(own)) / effect) ** 2;
}

function sizeOf(players: number, ratio: number): SampleSize {
  const [control, arm] = [Math.ceil(players), Math.ceil(players * ratio)];
  return { control, arm, total: control + arm };
}
