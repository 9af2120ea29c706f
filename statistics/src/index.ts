export { type Cap, cappedMoments, findCap } from './cap.js';
export { criticalValue, type SequenceOptions, sequenceInterval, sequenceP } from './confidence-sequence.js';
export { cupedEstimate, cupedSlope } from './cuped.js';
export { twoCupedEstimate, twoSlopes } from './cuped-two.js';
export { absoluteEffect, type Effect } from './effect.js';
export { type Estimate, meanEstimate, ratioEstimate, shareEstimate } from './estimate.js';
export { mostByChance } from './false-alarms.js';
export { fixedInterval, fixedP } from './fixed-horizon.js';
export { checkGuardrail } from './guardrail.js';
export type { Interval } from './interval.js';
export {
  type Moments,
  NO_MOMENTS,
  NO_PAIRS,
  NO_TRIPLES,
  type PairMoments,
  pairMomentsOf,
  plus,
  type TripleMoments,
  tripleMomentsOf,
  withThird,
} from './moments.js';
export { holm } from './multiple-tests.js';
export { playersUntilProven } from './planning.js';
export { checkSampleRatio } from './sample-ratio.js';
export { sequenceSampleSize, variancesOfShare } from './sample-size.js';
export { incompleteBeta } from './special/incomplete-beta.js';
export { upperGamma } from './special/incomplete-gamma.js';
export { digamma, logBeta, logGamma } from './special/log-gamma.js';
export { normalQuantile, normalShare } from './special/normal.js';
export { joinStrata, stratumShares } from './strata.js';
export { safeRelativeEffect, withSafeErrors } from './unequal-arms.js';
export { bucketOfValue, mergeHistograms } from './value-histogram.js';
