import { chiSquaredTail } from './special/chi-squared.js';
import { logGamma } from './special/log-gamma.js';

/**
 * Whether the arms have as many players as their weights say. Few players too many in an arm mean that players got lost on the way to it, by
 * a crash or a redirect, and then the arms differ by more than what they were given (Fabijan et al. 2019, "Diagnosing Sample Ratio Mismatch in
 * Online Controlled Experiments").
 */
const MISMATCH_BELOW = 0.001;

/**
 * How far the shares are thought to be off if they are: as if so many players had been seen with the shares of the weights. With 100, a
 * mismatch is found nearly as soon as with any other number, whether there are hundreds of players or millions.
 */
const SEEN_BEFORE = 100;

export type ArmCount = Readonly<{ players: number; weight: number }>;

/** The p-value of one look (Pearson's chi-squared), and whether the counts are a mismatch at all looks together. */
export function checkSampleRatio(arms: readonly ArmCount[]): { p: number; isMismatch: boolean } {
  const drawn = drawnArms(arms);
  const p = sampleRatioP(drawn);
  return { p, isMismatch: p < MISMATCH_BELOW && mismatchEvidence(drawn) > -Math.log(MISMATCH_BELOW) };
}

/** Arms without a weight get no players and are left out. */
function drawnArms(arms: readonly ArmCount[]): ArmCount[] {
  return arms.filter(({ weight }) => weight > 0);
}

export function sampleRatioP(arms: readonly ArmCount[]): number {
  const drawn = drawnArms(arms);
  const players = drawn.reduce((sum, arm) => sum + arm.players, 0);
  const weights = drawn.reduce((sum, arm) => sum + arm.weight, 0);
  if (drawn.length < 2 || players === 0) return 1;
  const statistic = drawn.reduce((sum, arm) => {
    const expected = (players * arm.weight) / weights;
    return sum + (arm.players - expected) ** 2 / expected;
  }, 0);
  return chiSquaredTail(statistic, drawn.length - 1);
}

/**
 * How much likelier the counts are under other shares than under those of the weights, as a logarithm: the other shares are drawn from a Dirichlet
 * distribution around the weights (Lindon & Malek 2022, "Anytime-Valid Inference for Multinomial Count Data"). While the shares are right, the
 * likelihood ratio ever exceeds 1,000 in one of 1,000 experiments at most, however often one looks and however few players are expected in
 * an arm. The chi-squared test alone, once a day for 100 days, is wrong in one of a hundred even halves, and in one of ten where an arm has 1%.
 */
function mismatchEvidence(drawn: readonly ArmCount[]): number {
  const players = drawn.reduce((sum, arm) => sum + arm.players, 0);
  const weights = drawn.reduce((sum, arm) => sum + arm.weight, 0);
  return drawn.reduce(
    (sum, arm) => {
      const share = arm.weight / weights;
      const before = SEEN_BEFORE * share;
      return sum + logGamma(before + arm.players) - logGamma(before) - arm.players * Math.log(share);
    },
    logGamma(SEEN_BEFORE) - logGamma(SEEN_BEFORE + players),
  );
}
