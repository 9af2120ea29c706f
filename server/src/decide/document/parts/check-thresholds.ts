import type { Problems } from '../document-part.js';
import type { Thresholds } from '../thresholds.js';

/** Predictions that lie between 0 and 1. */
const PROBABILITIES: ReadonlySet<string> = new Set(['churn', 'spend', 'payerAlive']);

/** Somebody can enter, somebody can leave, and between the two lies something. */
export function checkThresholds(
  { prediction, enterAbove, leaveBelow }: Thresholds,
  pointer: string,
  problems: Problems,
): void {
  if (PROBABILITIES.has(prediction) && enterAbove >= 1) {
    problems.add(
      `${pointer}/enterAbove`,
      `Nobody would enter: ${prediction} is a probability, and never above 1. Give a number below 1, such as 0.7.`,
    );
  }
  if (leaveBelow <= 0) {
    problems.add(
      `${pointer}/leaveBelow`,
      `Nobody would leave: ${prediction} is never below 0. Give a number above 0.`,
    );
  }
  if (leaveBelow >= enterAbove) {
    problems.add(
      `${pointer}/leaveBelow`,
      `leaveBelow must be less than enterAbove, which is ${enterAbove}: between the two, players stay where they are. For one threshold, write predictions.${prediction}.value into the rule instead.`,
    );
  }
}
