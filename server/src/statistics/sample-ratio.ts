import { chiSquaredTail } from './special/chi-squared.js';

/**
 * Whether the arms have as many players as their weights say: Pearson's chi-squared test (Fabijan et al. 2019, "Diagnosing Sample Ratio
 * Mismatch in Online Controlled Experiments"). Few players too many in an arm mean that players got lost on the way to it, by a crash or
 * a redirect, and then the arms differ by more than what they were given.
 */
export const MISMATCH_BELOW = 0.001;

export type ArmCount = Readonly<{ players: number; weight: number }>;

/** The p-value. Arms without a weight get no players and are left out. */
export function sampleRatioP(arms: readonly ArmCount[]): number {
  const drawn = arms.filter(({ weight }) => weight > 0);
  const players = drawn.reduce((sum, arm) => sum + arm.players, 0);
  const weights = drawn.reduce((sum, arm) => sum + arm.weight, 0);
  if (drawn.length < 2 || players === 0) return 1;
  const statistic = drawn.reduce((sum, arm) => {
    const expected = (players * arm.weight) / weights;
    return sum + (arm.players - expected) ** 2 / expected;
  }, 0);
  return chiSquaredTail(statistic, drawn.length - 1);
}
