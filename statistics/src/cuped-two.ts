import { cupedSlope } from './cuped.js';
import type { Estimate } from './estimate.js';
import {
  covarianceOf,
  crossPairs,
  type Moments,
  meanOf,
  NO_TRIPLES,
  otherMoments,
  plus,
  type TripleMoments,
  thirdPairs,
  varianceOf,
} from './moments.js';

/**
 * CUPED with two covariates: the regression of the value on both. Of the error √(1 − R²) is left, and that is never more than with the better one
 * of them alone. As with one, the slopes are those of the players of all arms together, so both may be anything that was known at exposure.
 */
export type TwoSlopes = readonly [other: number, third: number];

/** Of a squared value. What varies less is what rounding makes of a value that is the same for all. */
const ROUNDING = 1e-12;
/** Two covariates that agree up to this say the same. */
const COLLINEAR = 1e-9;

/** A covariate that is the same for all has the slope 0. Of two that say the same the first one is taken. */
export function twoSlopes(arms: readonly TripleMoments[]): TwoSlopes {
  const all = arms.reduce((sum, arm) => plus(sum, arm), NO_TRIPLES);
  const third = thirdPairs(all);
  const { ofOther, ofThird, across, withOther, withThird } = spreadOf(all);
  const isOtherSame = isSame(otherMoments(all), ofOther);
  if (isSame(otherMoments(third), ofThird)) return [isOtherSame ? 0 : cupedSlope([all]), 0];
  if (isOtherSame) return [0, cupedSlope([third])];
  const determinant = ofOther * ofThird - across * across;
  if (determinant < COLLINEAR * ofOther * ofThird) return [cupedSlope([all]), 0];
  return [
    (withOther * ofThird - withThird * across) / determinant,
    (withThird * ofOther - withOther * across) / determinant,
  ];
}

/** The mean of an arm with both covariates taken out. */
export function twoCupedEstimate(arm: TripleMoments, [other, third]: TwoSlopes): Estimate {
  const { ofOther, ofThird, across, withOther, withThird } = spreadOf(arm);
  const [mean, variance] = [meanOf(arm), varianceOf(arm)];
  const covariance = variance - other * withOther - third * withThird;
  const left =
    covariance -
    (other * withOther + third * withThird) +
    (other * other * ofOther + 2 * other * third * across + third * third * ofThird);
  return {
    players: arm.n,
    mean,
    squaredError: Math.max(0, variance) / arm.n,
    adjusted: {
      mean: mean - other * (arm.otherSum / arm.n) - third * (arm.thirdSum / arm.n),
      squaredError: Math.max(0, left) / arm.n,
      covariance: covariance / arm.n,
    },
  };
}

/** The variances of both covariates, and the covariances. */
function spreadOf(triples: TripleMoments) {
  const third = thirdPairs(triples);
  return {
    ofOther: varianceOf(otherMoments(triples)),
    ofThird: varianceOf(otherMoments(third)),
    across: covarianceOf(crossPairs(triples)),
    withOther: covarianceOf(triples),
    withThird: covarianceOf(third),
  };
}

function isSame({ n, squares }: Moments, variance: number): boolean {
  return !(variance > (ROUNDING * squares) / n);
}
