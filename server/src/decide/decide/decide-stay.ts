import type { SegmentStay } from '../attributes/player-facts.js';
import type { CompiledSegment, CompiledThresholds } from '../compile/compiled-document.js';
import { toldValue } from '../predict/score.js';
import type { CompiledRule } from '../rules/rules.js';
import type { DecisionContext } from './decision-context.js';

export type DecidedStay = Readonly<{
  /** The rule that was asked: that of who enters, or of who stays. */
  rule: CompiledRule;
  result: boolean | undefined;
  /** Null: the player was outside before. */
  stay: SegmentStay | null;
}>;

/**
 * Whether a player is in a segment with two thresholds. What is known of them says whether they are inside already (`facts.stays`);
 * the decision says whether that changes, and remains a pure function. Who decides for a player stores the change.
 *
 *            rule, and above enterAbove
 *   outside ────────────────────────────► inside
 *           ◄────────────────────────────
 *            no rule, or below leaveBelow
 *
 * While there is no model that is trusted, nobody is told to be inside, and no stay begins or ends. So a player is inside again when trust
 * comes back. The same holds for a rule that fails.
 */
export function decideStay(
  context: DecisionContext,
  { rule: enter, listed: { segmentId } }: CompiledSegment,
  { key, prediction, stay: remain }: CompiledThresholds,
): DecidedStay {
  const { facts, attributes, stayChanges } = context;
  const stay = facts.stays.find((each) => each.segmentId === segmentId && each.thresholds === key) ?? null;
  const rule = stay === null ? enter : remain;
  const result = context.test(rule, 'segment', segmentId);
  if (result === (stay === null)) {
    const { state, value } = attributes.predictions[prediction];
    if (state === 'ready') {
      stayChanges.push({ segmentId, thresholds: key, isInside: result, value: toldValue(value) });
    }
  }
  return { rule, result, stay };
}
