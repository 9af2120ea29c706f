import type { ArmTrace } from '../../decide/decide/decision.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import { evaluationOf, pinned, rounded } from './reason-words.js';

/** Why a player is in an arm of an experiment, or in none, in a sentence. */
export function experimentReason(trace: ArmTrace, experiment: ExperimentEntry | undefined): string {
  const { experimentId, variantId, because, exposedAt, rule } = trace;
  const is = `Variant ${variantId} of experiment ${experimentId}`;
  const not = `Not in experiment ${experimentId}`;
  const bucket = `the player's bucket is ${rounded(trace.place ?? 0)}`;
  switch (because) {
    case 'pin':
      return `${is}: ${pinned(trace.pin)}.`;
    case 'stored':
      return `${is}: stored with the first exposure at ${exposedAt}.`;
    case 'bucket': {
      const reason = rule === null ? '' : `, and ${evaluationOf(rule)}`;
      return `${is}: ${bucket}, in the range of the variant${reason}.`;
    }
    case 'winner':
      return `${is}: it is decided, and this variant is the winner${rule === null ? '' : `; ${evaluationOf(rule)}`}.`;
    case 'planned':
      return `${not}: it has not started.`;
    case 'stopped':
      return `${not}: it is stopped.`;
    case 'child':
      return `${not}: the player is a child, and offers depend on it.`;
    case 'outside_slot': {
      const { layerId = '', fromPercent = 0, toPercent = 100 } = experiment?.layer ?? {};
      return `${not}: ${bucket}, outside of its slot from ${fromPercent} to ${toPercent} in the layer ${layerId}.`;
    }
    case 'not_covered':
      return `${not}: ${bucket}, outside of the ${experiment?.coveragePercent ?? 0}% of each variant that are covered.`;
    case 'rule_false':
      return `${not}: ${evaluationOf(rule)}.`;
  }
}
