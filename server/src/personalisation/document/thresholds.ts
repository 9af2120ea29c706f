import type { SegmentEntry } from './document.js';

export type Thresholds = NonNullable<SegmentEntry['thresholds']>;

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
