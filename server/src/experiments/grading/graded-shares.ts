import { bucketOf, experimentSalt, userIdBytes } from '../../decide/compile/bucket.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';

/** Of the players of both arms, in percent, those in the smaller one. */
export const HALVES = 50;

/**
 * How hidden A/A experiments are divided: in halves, and as the game's own experiments and hold-outs are. What halves get right may be wrong where one
 * arm is small.
 */
export function gradedShares(experiments: readonly ExperimentEntry[], holdoutPercent: number): number[] {
  const pairs = experiments
    .filter(({ state }) => state === 'running')
    .flatMap(({ variants: [control, ...arms] }) =>
      arms.map(({ weight }) => [control?.weight ?? 0, weight] as const),
    );
  const shares = [...pairs, [holdoutPercent, 100 - holdoutPercent] as const].map(
    ([one, other]) => Math.round((1_000 * Math.min(one, other)) / (one + other)) / 10,
  );
  return [...new Set([HALVES, ...shares.filter((share) => share > 0)])].sort((a, b) => b - a);
}

const SALT = experimentSalt('graded-shares');

/** One of the shares for each A/A experiment, by its seed: so a night costs the same, however many shares a game has. */
export function drawShare(seed: string, shares: readonly number[]): number {
  return shares[Math.floor(bucketOf(SALT, userIdBytes(seed)) * shares.length)] ?? HALVES;
}
