import type { Estimate } from './estimate.js';

/** What an arm differs from the control by. */
export type Effect = Readonly<{
  value: number;
  standardError: number;
  /** Of both arms. */
  players: number;
  /** Degrees of freedom: Welch and Satterthwaite. */
  freedom: number;
}>;

/** Arm less control. */
export function absoluteEffect(control: Estimate, arm: Estimate): Effect {
  return {
    value: arm.adjusted.mean - control.adjusted.mean,
    standardError: Math.hypot(
      Math.sqrt(control.adjusted.squaredError + arm.adjusted.squaredError),
      roundingOf(control, arm),
    ),
    players: control.players + arm.players,
    freedom: welchFreedom(control, arm),
  };
}

/**
 * The same as a share of the control's mean: 0.05 is 5% more. The control's mean is drawn, too, so the error comes from the delta method.
 * Without a covariate it is σ²_b / (n_b a²) + σ²_a b² / (n_a a⁴). Undefined if the control's mean is zero.
 */
export function relativeEffect(control: Estimate, arm: Estimate): Effect | undefined {
  if (control.mean === 0) return undefined;
  const { value, players, freedom } = absoluteEffect(control, arm);
  const base = control.mean;
  const slope = (arm.mean - base) / base;
  const ofControl =
    control.adjusted.squaredError +
    2 * slope * control.adjusted.covariance +
    slope * slope * control.squaredError;
  return {
    value: value / base,
    standardError:
      Math.hypot(Math.sqrt(Math.max(0, ofControl + arm.adjusted.squaredError)), roundingOf(control, arm)) /
      Math.abs(base),
    players,
    freedom,
  };
}

/**
 * A billionth of the mean. Where the covariate explains all, or all players have the same value, there is no error left, and the difference is
 * what rounding makes of zero: without this it would be proven.
 */
function roundingOf(control: Estimate, arm: Estimate): number {
  return 1e-9 * Math.max(Math.abs(control.mean), Math.abs(arm.mean));
}

function welchFreedom(control: Estimate, arm: Estimate): number {
  const [a, b] = [control.adjusted.squaredError, arm.adjusted.squaredError];
  if (a + b === 0) return control.players + arm.players - 2;
  return (a + b) ** 2 / (a ** 2 / (control.players - 1) + b ** 2 / (arm.players - 1));
}
