import { absoluteEffect, type Effect, relativeEffect } from './effect.js';
import type { Estimate } from './estimate.js';

/**
 * The control and an arm, with errors that may be believed where one of them has few players. Of few payers none may be a large spender. Then their mean
 * is low, and the error, which comes from the same payers, is low with it: chance looks proven.
 *
 * Without an effect the players of both vary alike, and the variance of either may stand for the other. So the error of the difference is worked out twice:
 * each variance divided by the players of its own arm, and by those of the other arm (which is the error of a test with a pooled variance). The larger one
 * counts. With equal arms both are the same, so they lose nothing.
 */
export function withSafeErrors(control: Estimate, arm: Estimate): readonly [Estimate, Estimate] {
  const [ofControl, ofArm] = [control.adjusted.squaredError, arm.adjusted.squaredError];
  const own = ofControl + ofArm;
  const swapped = (ofControl * control.players) / arm.players + (ofArm * arm.players) / control.players;
  if (!(swapped > own)) return [control, arm];
  const factor = swapped / own;
  return [raised(control, factor), raised(arm, factor)];
}

/**
 * The relative change with such errors. The delta method counts the error of the control arm / control times: where an arm is low, by chance too, it would be proven
 * sooner than the difference itself. So its error is at least that of the difference.
 */
export function safeRelativeEffect(control: Estimate, arm: Estimate): Effect | undefined {
  const safe = withSafeErrors(control, arm);
  const relative = relativeEffect(...safe);
  if (relative === undefined) return undefined;
  const ofDifference = absoluteEffect(...safe).standardError / Math.abs(control.mean);
  return { ...relative, standardError: Math.max(relative.standardError, ofDifference) };
}

function raised({ players, mean, squaredError, adjusted }: Estimate, factor: number): Estimate {
  return {
    ...{ players, mean, squaredError: factor * squaredError },
    adjusted: {
      mean: adjusted.mean,
      squaredError: factor * adjusted.squaredError,
      covariance: factor * adjusted.covariance,
    },
  };
}
