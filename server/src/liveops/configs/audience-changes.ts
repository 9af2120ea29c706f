import { ANY_CHANGE, CHANGE, type Changes, UNCHANGED } from '../../decide/rules/rule-changes.js';
import { runSteps, type Steps } from '../../platform/lib/steps.js';
import { armRuleChangeSteps } from './arm-rule-changes.js';
import type { Audience } from './offer-audience.js';

/** Whether a player of the old audience may be missing from the new one. */
export function mayLose(before: Audience, after: Audience): boolean {
  return (changesOf(before, after) & CHANGE.ends) !== 0 || isNarrower(before, after);
}

/** Whether a player of the new audience may be missing from the old one. */
export function mayGain(before: Audience, after: Audience): boolean {
  return (changesOf(before, after) & CHANGE.begins) !== 0 || isNarrower(after, before);
}

/** Whether anybody may be in the audience. Nobody is, for instance, in the arm `half` once an experiment is decided for `control`. */
export function mayApply(audience: Audience): boolean {
  if (audience.armRule === null) return true;
  return (runSteps(armChangeSteps(audience, audience)) & CHANGE.staysTrue) !== 0;
}

/** In what does not depend on rules. */
function isNarrower(before: Audience, after: Audience): boolean {
  return (
    after.sharePercent < before.sharePercent ||
    after.holdoutPercent > before.holdoutPercent ||
    after.limit < before.limit ||
    (after.counted !== null && after.counted !== before.counted)
  );
}

/** Rules are compared as text, so a reworded rule counts as a change. Only where experiments decide, arms are compared. */
function changesOf(before: Audience, after: Audience): Changes {
  if (after.rules === before.rules) return UNCHANGED;
  if (after.rules === '') return CHANGE.begins | CHANGE.staysTrue;
  if (before.rules === '') return CHANGE.ends | CHANGE.staysTrue;
  return runSteps(armChangeSteps(before, after));
}

const known = new WeakMap<Audience, WeakMap<Audience, Changes>>();

/** Two audiences are compared again for every instant of the calendar. */
function* armChangeSteps(before: Audience, after: Audience): Steps<Changes> {
  if (before.armRule === null || after.armRule === null) return ANY_CHANGE;
  const ofBefore = known.get(before) ?? new WeakMap<Audience, Changes>();
  known.set(before, ofBefore);
  const changes = ofBefore.get(after) ?? (yield* armRuleChangeSteps(before.armRule, after.armRule));
  ofBefore.set(after, changes);
  return changes;
}

/** Works out beforehand, in steps, what the functions above then remember: there may be many cases to look at. */
export function* compareArmSteps(before: Audience | undefined, after: Audience | undefined): Steps<void> {
  if (before !== undefined) yield* armChangeSteps(before, before);
  if (after !== undefined) yield* armChangeSteps(after, after);
  if (before === undefined || after === undefined || before.rules === after.rules) return;
  yield* armChangeSteps(before, after);
}
