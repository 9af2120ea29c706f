import { type Static, Type } from 'typebox';
import { strict } from './member-schemas.js';
import { PredictionName } from './parts/predictions.js';

/** Larger than what anybody spends in 90 days, in any currency. */
const Threshold = Type.Number({ minimum: 0, maximum: 1_000_000_000 });

export const Thresholds = Type.Object(
  { prediction: PredictionName, enterAbove: Threshold, leaveBelow: Threshold },
  {
    ...strict,
    description:
      'Besides the rule: a player enters when the prediction is above enterAbove, and leaves when it is below leaveBelow. Between the two they stay where they are',
  },
);

export type Thresholds = Static<typeof Thresholds>;

/**
 * What a stay in a segment belongs to: `churn > 0.7, < 0.5`. A stay that began under other thresholds says nothing about these. The
 * rule of the segment is not a part: it is asked anew each time.
 */
export function thresholdsKey({ prediction, enterAbove, leaveBelow }: Thresholds): string {
  return `${prediction} > ${enterAbove}, < ${leaveBelow}`;
}

/** As a rule: who enters, and who stays. Without a model there is nothing to compare: nobody is inside. */
export function thresholdRules({ prediction, enterAbove, leaveBelow }: Thresholds): {
  enter: string;
  stay: string;
} {
  const isKnown = `predictions.${prediction}.state == "ready"`;
  return {
    enter: `${isKnown} && predictions.${prediction}.value > ${double(enterAbove)}`,
    stay: `${isKnown} && predictions.${prediction}.value >= ${double(leaveBelow)}`,
  };
}

/** CEL tells whole numbers from others by the point. */
function double(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
